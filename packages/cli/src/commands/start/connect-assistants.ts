import { describeHookProgram, findHosts, inspectHost } from '@steward/assistants'
import { type HostName, reasonOf } from '@steward/contract'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findInstallation } from '../../setup/installation.ts'
import { createHooksInstallCommand } from '../hooks/install.ts'
import { isInteractive } from './is-interactive.ts'

/**
 * Names the assistants on this machine. At a terminal it offers to connect those that are not; the
 * question and the change are those of `steward hooks install`. Returns whether all are connected.
 */
export const connectAssistants = async (
  io: Io,
  { offer }: { offer: boolean },
): Promise<boolean> => {
  const found = findHosts(io)
  if (found.length === 0) {
    io.out.write('Assistants  none found; Steward connects to them once they are installed\n')
    return false
  }
  const open = found.filter((host) => !isConnected(io, host))
  const connected = found.filter((host) => !open.includes(host))
  if (connected.length > 0) io.out.write(`Connected   ${namesOf(connected)}\n`)
  if (open.length === 0) return true
  io.out.write(`Found       ${namesOf(open)}, not connected yet\n`)
  if (!offer || !isInteractive(io)) {
    io.out.write(`            connect with: ${COMMAND} hooks install\n`)
    return false
  }
  const before = io.exitCode
  try {
    const args = open.flatMap((host) => ['--host', host])
    await createHooksInstallCommand(io).parseAsync(args, { from: 'user' })
  } catch (thrown) {
    if (io.signal.aborted) throw thrown
    io.err.write(`not connected: ${cleanText(reasonOf(thrown))}\n`)
  }
  // Declining is an answer, not a failure.
  io.exitCode = before
  return open.every((host) => isConnected(io, host))
}

const NAMES: Readonly<Record<HostName, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  cursor: 'Cursor',
}

const namesOf = (hosts: readonly HostName[]): string => hosts.map((host) => NAMES[host]).join(', ')

/** Hooks that need an update count as connected; doctor reports those. */
const isConnected = (io: Io, host: HostName): boolean => {
  const place = { env: io.env, homedir: io.homedir }
  const program = describeHookProgram(place, findInstallation().root)
  const { state } = inspectHost(host, { place, program, firings: [] })
  return state !== 'missing' && state !== 'unreadable'
}
