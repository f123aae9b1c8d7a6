import { type Shell, type ShellOptions, type ShellResult, StewardError } from '@steward/contract'

const COMMAND_NOT_FOUND = 127
const TIMED_OUT = 124

/** Runs an installed program; if it is missing, the error says how to install it. */
export const runCommand = async (
  shell: Shell,
  argv: readonly [string, ...string[]],
  install: string,
  options: ShellOptions & { timeoutMs: number },
): Promise<ShellResult> => {
  const [command] = argv
  const missing = (cause?: unknown) =>
    new StewardError('command_missing', { command, reason: install }, cause)
  try {
    const result = await shell(argv, options)
    if (result.code === COMMAND_NOT_FOUND) throw missing()
    if (result.code === TIMED_OUT) {
      throw new StewardError('timeout', { subject: command, limitMs: options.timeoutMs })
    }
    return result
  } catch (thrown) {
    const isMissing =
      thrown instanceof StewardError &&
      thrown.code === 'command_missing' &&
      thrown.details.command === command
    throw isMissing ? missing(thrown) : thrown
  }
}
