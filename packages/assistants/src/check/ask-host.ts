import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { askCommand } from '../command/ask-command.ts'
import type { AskedHost, HostReport } from '../report/host-report.ts'

/** Starts the assistant's command for its version and for what only it knows. */
export const askHost = async (report: HostReport, place: HostPlace): Promise<AskedHost> => {
  const { host, command } = report
  const unknown = { ...report, version: null, untrusted: null, plugins: [] }
  if (command === null) return unknown
  const setup = await ASSISTANTS[host].loadSetup?.()
  const [version, known] = await Promise.all([
    askVersion(command, place),
    setup?.inspect?.({ ...report, command }, place),
  ])
  return { ...unknown, ...known, version }
}

const askVersion = async (command: string, place: HostPlace): Promise<string | null> => {
  const { stdout, stderr } = await askCommand(place, command, ['--version'])
  return /\d+\.\d+(?:\.\d+)?[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null
}
