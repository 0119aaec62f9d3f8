// The scopes of a graph: calls, loops, iterations. They are numbered in preorder, so the subtree of a scope is the
// numbers from it up to, not including, its end.

import type { Columns } from "../scene/columns.js";
import type { GraphPanel } from "../scene/scene.js";
import { count } from "../ui/format.js";

const KINDS = ["call", "loop", "iteration", "expression", "part", "argument", "writes"] as const;

type ScopeKind = (typeof KINDS)[number];

export class Scopes {
  constructor(
    readonly columns: Columns,
    readonly labels: readonly string[],
    /** Scopes that are made alike, each with its name, which its place tells apart from others, and the one around it. */
    readonly groups: readonly (readonly [name: string, around: number])[] = [],
  ) {}

  get size(): number {
    return this.columns.scope_parent.length;
  }

  parent(scope: number): number {
    return this.columns.scope_parent[scope] ?? -1;
  }

  /** The number after the last scope inside. */
  end(scope: number): number {
    return this.columns.scope_end[scope] ?? scope;
  }

  kind(scope: number): ScopeKind {
    return KINDS[this.columns.scope_kind[scope]!] ?? "call";
  }

  /** "for k in range(3)", "iteration 1,000" */
  label(scope: number): string {
    if (this.kind(scope) === "iteration") return `iteration ${count(this.columns.scope_ordinal[scope] ?? 0)}`;
    return this.labels[this.columns.scope_label[scope]!] ?? "";
  }

  /** "f › for k in range(3) › iteration 2" */
  path(scope: number): string {
    const labels: string[] = [];
    for (let at = scope; at >= 0 && at < this.size; at = this.parent(at)) labels.unshift(this.label(at));
    return labels.join(" › ");
  }

  /** "f › sigmoid (net.py:4)": one for all iterations of a loop. */
  groupPath(group: number): string {
    const names: string[] = [];
    for (let at = this.groups[group]; at; at = this.groups[at[1]]) names.push(at[0]);
    return names.reverse().join(" › ");
  }

  /**
   * Whether opening the scope around a view would only lead back into it: a loop whose iterations were all made alike
   * opens as one of them.
   */
  leadsBack({ scope, siblings }: GraphPanel): boolean {
    const loop = this.parent(scope);
    if (loop < 0 || this.kind(loop) !== "loop") return false;
    const first = siblings?.first ?? scope;
    const end = siblings ? first + siblings.stride * siblings.count : this.end(scope);
    return first === loop + 1 && end === this.end(loop);
  }
}
