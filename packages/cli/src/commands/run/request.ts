import type { ParsedFlags } from '../../input/parse-flags.ts'

/** What `steward run` was asked for. */
export interface RunRequest extends ParsedFlags {
  name: string
  input: string | undefined
  idempotencyKey: string | undefined
  wholeAnswer: boolean
  quiet: boolean
  verbose: boolean
  /** The command's own options, to tell a mistyped one from an input field. */
  options: readonly string[]
}
