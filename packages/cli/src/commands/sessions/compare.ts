import { resolve } from 'node:path'
import {
  type Comparison,
  type DaemonClient,
  DRIVEN_PERMISSIONS,
  HOSTS,
  type HostName,
  StewardError,
} from '@steward/contract'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { followSession } from './attach.ts'
import { renderComparison } from './render-comparison.ts'
import { openSessionsClient } from './sessions-client.ts'
import { isReady, parseAmount } from './start.ts'

const HELP = `
Examples:
  steward sessions compare --assistant claude --assistant codex --check "npm test" \\
    --permissions deny --allow edit "execute npm test*" -- "fix the failing test"
  steward sessions compare --show 1a2b3c4d

Each assistant works on a branch steward/… in a git worktree of its own, with --copy in a copy of its
own. Nothing is merged or pushed: merge the branch that you prefer, and delete the other.
`

interface CompareFlags {
  assistant: HostName[]
  project: string
  copy?: true
  check?: string
  minutes?: number
  toolCalls?: number
  budget?: number
  permissions: (typeof DRIVEN_PERMISSIONS)[number]
  allow?: string[]
  show?: string
  detach?: true
  yes?: true
  json?: true
}

export const createCompareCommand = (io: Io): Command =>
  new Command('compare')
    .description('Give the same task to several assistants')
    .argument('[prompt]', 'the task')
    .addOption(
      new Option('--assistant <name>', 'assistant to compare; repeat it')
        .choices(HOSTS)
        .argParser(collectHosts)
        .default([]),
    )
    .option('--project <folder>', 'the git repository', '.')
    .option('--copy', 'work in copies of the folder, which needs no git')
    .option('--check <command>', 'run this after each turn')
    .option('--minutes <count>', 'stop after this time', parseAmount)
    .option('--tool-calls <count>', 'stop after this many tool calls', parseCount)
    .option('--budget <usd>', 'stop at this cost, if all report one', parseAmount)
    .addOption(
      new Option('--permissions <policy>', 'ask you, or deny')
        .choices(DRIVEN_PERMISSIONS)
        .default('ask'),
    )
    .option('--allow <rules...>', 'allow without asking: edit, "execute npm test"')
    .option('--show <id>', 'show an earlier comparison')
    .option('--detach', 'print its id and do not wait')
    .option('--yes', 'install missing adapters without asking')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (prompt: string | undefined, flags: CompareFlags) => {
      const client = await openSessionsClient(io)
      const comparison = await findOrStart(io, client, prompt, flags)
      if (comparison === undefined) {
        io.exitCode = 1
        return
      }
      if (!flags.detach && flags.show === undefined) await waitForAll(io, client, comparison)
      const shown = await client.call('getComparison', { params: { id: comparison.id } })
      if (flags.json) printJson(io.out, shown)
      else if (flags.detach) io.out.write(`${shown.id}\n`)
      else io.out.write(renderComparison(shown, io.out))
    })

/** Undefined if the person does not want to install what an assistant needs. */
const findOrStart = async (
  io: Io,
  client: DaemonClient,
  prompt: string | undefined,
  flags: CompareFlags,
): Promise<Comparison | undefined> => {
  const { show, assistant: assistants, project, check, minutes, toolCalls, budget } = flags
  if (show !== undefined) return client.call('getComparison', { params: { id: show } })
  if (prompt === undefined || assistants.length < 2) {
    const reason = 'it needs a task, and --assistant at least twice'
    throw new StewardError('invalid_input', { subject: 'the comparison', reason })
  }
  for (const assistant of assistants) {
    if (!(await isReady(io, assistant, flags.yes === true))) return undefined
  }
  const started = await client.call('startComparison', {
    body: {
      assistants,
      prompt,
      project: resolve(io.cwd, project),
      copy: flags.copy === true,
      permissions: flags.permissions,
      allow: flags.allow ?? [],
      limits: {
        ...(minutes === undefined ? {} : { minutes }),
        ...(toolCalls === undefined ? {} : { toolCalls }),
        ...(budget === undefined ? {} : { budgetUsd: budget }),
      },
      ...(check === undefined ? {} : { check }),
    },
  })
  io.err.write(`comparison ${started.id}\n`)
  return started
}

/** Reports requests that wait for the person, and who is ready. */
const waitForAll = async (io: Io, client: DaemonClient, { sides }: Comparison): Promise<void> => {
  await Promise.all(
    sides.map(async ({ session: { id, assistant } }) => {
      const tell = (text: string): void => io.err.write(`${assistant}: ${cleanText(text)}\n`)
      const ended = await followSession(io, client, { id, lastTurn: false }, ({ kind, text }) => {
        if (kind === 'permission') tell(text)
      })
      tell(ended === undefined ? 'the connection to the daemon ended' : ended.state)
    }),
  )
}

const collectHosts = (given: string, earlier: HostName[]): HostName[] => {
  const host = HOSTS.find((name) => name === given)
  if (host !== undefined) return [...earlier, host]
  throw new StewardError('invalid_input', {
    subject: `the assistant ${given}`,
    reason: `it must be one of ${HOSTS.join(', ')}`,
  })
}
