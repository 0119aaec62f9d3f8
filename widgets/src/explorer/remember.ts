// Answers of the host that were asked for once.

/** Answers kept, of each kind. */
const MOST_REMEMBERED = 300;

/** The answer for a key, asked for once; a failure is forgotten, so that it can be asked again. */
export function remember<T>(known: Map<number, Promise<T>>, key: number, ask: () => Promise<T>): Promise<T> {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  answer.catch(() => known.delete(key));
  if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!);
  return answer;
}
