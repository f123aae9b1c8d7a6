import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { exportAgents } from './export-agents.ts'
import { findAgent, openAgentsHome, readRoster, warnOf } from './roster.ts'

interface ExportFlags {
  host: string
  project?: string | true
  json?: true
}

export const createAgentsExportCommand = (io: Io): Command =>
  new Command('export')
    .description('Writes your named agents as agent files of an assistant.')
    .argument('[name]', 'only this one')
    .option('--host <host>', 'the assistant', 'claude')
    .option('--project [directory]', 'into a project instead of your own configuration')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, { host, project, json }: ExportFlags) => {
      const { home } = await openAgentsHome(io)
      const roster =
        name === undefined
          ? await readRoster(home)
          : { agents: [await findAgent(home, name)], problems: [] }
      warnOf(io, roster.problems)
      const where = project === true ? '.' : project
      const written = await exportAgents(io, roster.agents, host, where)
      if (json) printJson(io.out, { host, written })
      else if (written.length === 0) io.out.write('no named agents yet: steward agents new NAME\n')
      for (const { path, changed } of json ? [] : written) {
        io.out.write(`${changed ? 'written' : 'unchanged'}: ${path}\n`)
      }
    })
