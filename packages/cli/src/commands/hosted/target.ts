import type { Command } from 'commander'

/** The chosen server: the person's own by default. */
export interface TargetFlags {
  url?: string
  vendor?: true
  home?: string
  json?: true
}

/** The key for `--url`. */
export const KEY_VARIABLE = 'STEWARD_HOSTED_KEY'
/** The key for `--vendor`. */
export const VENDOR_KEY_VARIABLE = 'ANTHROPIC_API_KEY'

/** Adds the options that select another server. */
export const withTarget = (command: Command): Command =>
  command
    .option('--url <url>', `a server elsewhere; its key is in ${KEY_VARIABLE}`)
    .option('--vendor', `the vendor's own; the key is in ${VENDOR_KEY_VARIABLE}`)
    .option('--home <dir>', 'data home of the server (default: STEWARD_HOME)')
    .option('--json', 'print JSON')
