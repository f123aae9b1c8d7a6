import { renderNamedAgent } from '@steward/agents'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { findAgent, openAgentsHome, readRoster, readRouting, warnOf } from './roster.ts'

/** The read-only commands: list, show, types. */
export const createAgentsListCommand = (io: Io): Command[] => [
  new Command('list')
    .description('List your named agents')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openAgentsHome(io)
      const { agents, problems } = await readRoster(home)
      if (json) {
        printJson(io.out, {
          agents: agents.map(({ agent, path }) => ({ ...agent, path })),
          problems,
        })
        return
      }
      const rows = agents.map(({ agent }) => [
        io.out.paint.bold(cleanText(agent.name)),
        cleanText(agent.role ?? ''),
        agent.model,
        cleanText(agent.description),
      ])
      io.out.write(rows.length > 0 ? formatTable(rows) : 'none yet: steward agents new NAME\n')
      warnOf(io, problems.map(cleanText))
    }),
  new Command('show')
    .description('Show the fields and persona of an agent')
    .argument('<name>', 'its name')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: { json?: true }) => {
      const { home } = await openAgentsHome(io)
      const found = await findAgent(home, name)
      if (json) printJson(io.out, { ...found.agent, body: found.body, path: found.path })
      else io.out.write(cleanText(renderNamedAgent(found)))
    }),
  new Command('types')
    .description('List built-in subagent types and your names for them')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openAgentsHome(io)
      const { types } = await readRouting(home)
      if (json) {
        printJson(io.out, { types })
        return
      }
      const rows = types.map(({ name, tier, purpose, deprecated, replacedBy }) => [
        deprecated ? io.out.paint.dim(name) : io.out.paint.bold(name),
        tier,
        deprecated
          ? `deprecated: use a skill for real browsers (${replacedBy ?? ''}), if your assistant has one`
          : purpose,
      ])
      io.out.write(formatTable(rows))
    }),
]
