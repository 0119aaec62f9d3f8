declare module "*.css" {
  const text: string;
  export default text;
}

interface ImportMeta {
  /** Files by their paths, as the test runner finds them. */
  glob<T>(pattern: string, options: { eager: true; import: "default"; query?: "?raw" }): Record<string, T>;
}
