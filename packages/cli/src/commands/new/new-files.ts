/** The files that `steward new` wrote, and commands to try next. */
export interface NewFiles {
  paths: string[]
  next: string[]
}
