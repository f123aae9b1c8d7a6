/** What `steward new` wrote, and what to try next. */
export interface Made {
  paths: string[]
  next: string[]
}
