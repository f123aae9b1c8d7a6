import type { HostPlace } from '@steward/assistants'
import type { Io } from '../io.ts'
import { askCommand } from './ask-command.ts'
import { findClaudePlugins, type InstalledPlugin } from './claude-plugins.ts'
import { findUntrusted } from './codex-trust.ts'
import type { HostReport } from './host-report.ts'

/** What the files say of an assistant, and what it says itself. */
export interface AskedHost extends HostReport {
  version: string | null
  /** Codex: registered hooks that it does not run; `null` when it could not be asked. */
  untrusted: string[] | null
  /** Claude Code: our plugin, where it is installed. */
  plugins: InstalledPlugin[]
}

/** Starts the assistant's command for its version and for what only it knows; without one there is nobody to ask. */
export const askHost = async (io: Io, report: HostReport, place: HostPlace): Promise<AskedHost> => {
  const { host, command, file, state } = report
  if (command === null) return { ...report, version: null, untrusted: null, plugins: [] }
  const [version, untrusted, plugins] = await Promise.all([
    askVersion(io, command),
    host === 'codex' && state !== 'missing' ? findUntrusted(io, file, place) : undefined,
    host === 'claude' ? findClaudePlugins(io, command) : [],
  ])
  return { ...report, version, untrusted: untrusted ?? null, plugins }
}

const askVersion = async (io: Io, command: string): Promise<string | null> => {
  const { stdout, stderr } = await askCommand(io, command, ['--version'])
  return /\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null
}
