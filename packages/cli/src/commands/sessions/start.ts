import { resolve } from 'node:path'
import { ASSISTANTS, findProgram, isHostName } from '@steward/assistants'
import { DRIVEN_PERMISSIONS, HOSTS, type HostName, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { Command, InvalidArgumentError, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { attachTo } from './attach.ts'
import { openSessionsClient } from './sessions-client.ts'
import { setUpAssistant } from './setup.ts'

const HELP = `
Examples:
  steward sessions start --assistant claude "explain the failing test"
  steward sessions start --assistant claude --worktree --minutes 30 --check "npm test" \\
    "update the dependencies"
  steward sessions start --assistant opencode --project ~/site --copy --detach "check the links"
  steward sessions start --assistant codex "fix the tests" --worktree --permissions deny \\
    --allow edit "execute npm test"

With --worktree the assistant works on a branch steward/… in a folder of its own; your files stay as
they are, and nothing is pushed. With --copy it works in a copy of a folder that needs no git, and its
changes become a patch. Requests for permissions wait for you: steward answer.
docs/assistants-as-workers.md has more.
`

interface StartFlags {
  assistant: HostName
  project: string
  worktree?: true
  copy?: true
  minutes?: number
  turns?: number
  toolCalls?: number
  budget?: number
  check?: string
  mode?: string
  allow?: string[]
  writable?: string[]
  sandbox?: true
  agent?: string
  traits?: string
  permissions: (typeof DRIVEN_PERMISSIONS)[number]
  detach?: true
  yes?: true
  json?: true
}

export const createStartCommand = (io: Io): Command =>
  new Command('start')
    .description('Start a session of an assistant')
    .argument('<prompt>', 'the task')
    .addOption(
      new Option('--assistant <name>', 'assistant to start').choices(HOSTS).makeOptionMandatory(),
    )
    .option('--project <folder>', 'folder to work in', '.')
    .addOption(new Option('--worktree', 'work on a new branch in a git worktree').conflicts('copy'))
    .option('--copy', 'work in a copy of the folder, which needs no git')
    .option('--minutes <count>', 'stop after this time', parseAmount)
    .option('--turns <count>', 'maximum number of messages', parseCount)
    .option('--tool-calls <count>', 'stop after this many tool calls', parseCount)
    .option('--budget <usd>', 'stop at this cost, if it reports one', parseAmount)
    .option('--check <command>', 'run this after each turn')
    .option('--mode <mode>', 'mode of the assistant')
    .addOption(
      new Option('--permissions <policy>', 'ask you, or deny')
        .choices(DRIVEN_PERMISSIONS)
        .default('ask'),
    )
    .option('--allow <rules...>', 'allow without asking: edit, "execute npm test"')
    .option('--writable <paths...>', 'the only paths it may change')
    .option('--sandbox', 'run it in the sandbox of actions')
    .option('--agent <name>', 'work as this named agent')
    .option('--traits <list>', 'compose a persona from these traits')
    .option('--detach', 'print its id and do not follow it')
    .option('--yes', 'install a missing adapter without asking')
    .option('--json', 'print JSON; implies --detach')
    .addHelpText('after', HELP)
    .action(async (prompt: string, flags: StartFlags) => {
      const { assistant, project, minutes, turns, toolCalls, budget, check, mode } = flags
      const client = await openSessionsClient(io)
      if (!(await isReady(io, assistant, flags.yes === true))) {
        io.exitCode = 1
        return
      }
      const session = await client.call('startSession', {
        body: {
          assistant,
          project: resolve(io.cwd, project),
          prompt,
          worktree: flags.worktree === true,
          copy: flags.copy === true,
          permissions: flags.permissions,
          allow: flags.allow ?? [],
          writable: flags.writable ?? [],
          sandbox: flags.sandbox === true,
          ...(flags.agent === undefined ? {} : { agent: flags.agent }),
          ...(flags.traits === undefined ? {} : { traits: flags.traits.split(',') }),
          limits: {
            ...(minutes === undefined ? {} : { minutes }),
            ...(turns === undefined ? {} : { turns }),
            ...(toolCalls === undefined ? {} : { toolCalls }),
            ...(budget === undefined ? {} : { budgetUsd: budget }),
          },
          ...(check === undefined ? {} : { check }),
          ...(mode === undefined ? {} : { mode }),
        },
      })
      if (flags.json) return printJson(io.out, session)
      io.err.write(
        `session ${session.id}${session.branch === null ? '' : ` on ${session.branch}`}\n`,
      )
      if (!flags.detach) await attachTo(io, session.id, true)
    })

/** Offers to install a missing adapter; other problems are reported by the daemon. */
export const isReady = async (io: Io, assistant: HostName, isAgreed: boolean): Promise<boolean> => {
  const spec = isHostName(assistant) ? await ASSISTANTS[assistant].loadDrive?.() : undefined
  if (spec?.program.kind !== 'adapter') return true
  try {
    findProgram(spec, { home: resolveHome(io.env, io.homedir), env: io.env })
    return true
  } catch (thrown) {
    if (!(thrown instanceof StewardError) || thrown.code !== 'adapter_missing') throw thrown
    io.err.write(`${thrown.message}\n`)
    return setUpAssistant(io, spec, isAgreed)
  }
}

export const parseAmount = (text: string): number => {
  const amount = Number(text)
  if (Number.isFinite(amount) && amount > 0) return amount
  throw new InvalidArgumentError('It must be a number above 0.')
}
