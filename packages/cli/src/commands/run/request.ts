import type { ParsedFlags } from '../../input/parse-flags.ts'

/** The request of `steward run`. */
export interface RunRequest extends ParsedFlags {
  name: string
  input: string | undefined
  idempotencyKey: string | undefined
  /** Calls the deployed worker even if a local edge runs. */
  deployed: boolean
  wholeAnswer: boolean
  quiet: boolean
  verbose: boolean
  /** Lets a debugger attach to every action. */
  inspect: boolean
  /** The command's own options, to distinguish a typo from an input field. */
  options: readonly string[]
}
