/** Takes secrets out of what is about to be stored. `found`: something was taken out. */
export interface Redactor {
  redact(value: unknown): { value: unknown; found: boolean }
}
