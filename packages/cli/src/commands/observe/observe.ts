import {
  LIMITS,
  OBSERVER_JUDGES,
  type ObserverVerdict,
  type ObserverVoteName,
  unwrap,
} from '@steward/contract'
import { type ObserveRequest, observeSession } from '@steward/daemon/observing'
import type { Notifier } from '@steward/notify'
import { liftHalt, readHalts, resolveHome } from '@steward/platform'
import { Command, InvalidArgumentError, Option } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { readNotifierPlace, withNotifier } from '../../notifier/open-notifier.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatCost, formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openHomePolicy } from '../security/open-security.ts'

const HELP = `
Examples:
  steward observe --session "$SESSION_ID"                     until the session ends
  steward observe --session "$SESSION_ID" --policy rotate.yaml
  steward observe --session "$SESSION_ID" --once --json       judge the log so far, then exit
  steward observe halts                                       list halted sessions
  steward observe lift "$SESSION_ID"                          let a halted session continue

Three observers (policy-compliance, intent-drift, blast-radius) read the tool-activity log and
nothing else, and vote every 30 seconds. Two halts stop the session: the guards refuse its tool calls
until you lift the halt. You are notified of every escalation. Interactive, urgent, short and
read-only sessions, and those whose changes you approve one by one, are refused (exit code 4);
--force overrides that. With --once, exit code 1 means that something was found.
Policy files: docs/observers.md.
`

export const createObserveCommand = (io: Io): Command =>
  new Command('observe')
    .description('Observe an unattended session with three observers')
    .addCommand(createRunCommand(io), { isDefault: true })
    .addCommand(createHaltsCommand(io))
    .addCommand(createLiftCommand(io))
    .addHelpText('after', HELP)

const createRunCommand = (io: Io): Command =>
  new Command('run')
    .description('Observe a session; the default of `steward observe`')
    .requiredOption('--session <id>', 'session id, as the assistant names it')
    .option('--policy <file>', 'policy file: purpose and permissions (YAML)')
    .option('--once', 'judge the log so far, cycle by cycle, then exit')
    .option('--force', 'observe even if a rule refuses it')
    .addOption(
      new Option('--judge <judge>', 'the judge (default: a model if configured)').choices(
        OBSERVER_JUDGES,
      ),
    )
    .option(
      '--budget <usd>',
      `US dollars for models per hour (default ${LIMITS.observerUsdPerHour})`,
      parseUsd,
    )
    .option('--json', 'print each verdict as a line of JSON')
    .addHelpText('after', HELP)
    .action((flags: ObserveFlags) => observe(io, flags))

interface ObserveFlags extends ObserveRequest {
  json?: true
}

const observe = async (io: Io, flags: ObserveFlags): Promise<void> => {
  const { home, environment } = await readNotifierPlace(io)
  const { homedir, cwd, now, signal, out, err } = io
  const ports = {
    home,
    environment,
    homedir,
    cwd,
    now,
    signal,
    guardPolicy: await openHomePolicy(io),
    command: COMMAND,
    say: (line: string) => err.write(`${cleanText(line)}\n`),
    warn: (message: string) => {
      err.write(`${err.paint.yellow('warning:')} ${cleanText(message)}\n`)
      io.exitCode = EXIT.failed
    },
    take: (verdict: ObserverVerdict) => {
      out.write(flags.json ? `${JSON.stringify(verdict)}\n` : renderVerdict(verdict, out.paint))
      const isFine = verdict.decision === 'continue' && !verdict.escalated
      if (flags.once && !isFine) io.exitCode = EXIT.failed
    },
    withNotifier: (use: (notifier: Notifier) => Promise<void>) => withNotifier(io, use),
  }
  await observeSession(ports, flags)
}

const createHaltsCommand = (io: Io): Command =>
  new Command('halts')
    .description('List halted sessions')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const halts = unwrap(await readHalts(resolveHome(io.env, io.homedir)))
      if (json) return printJson(io.out, halts)
      if (halts.length === 0) io.out.write('no session is halted\n')
      for (const { session_id, reason, at, by } of halts) {
        io.out.write(
          `${cleanText(session_id)}  ${formatTime(at)}  by ${cleanText(by)}: ${cleanText(reason)}\n`,
        )
      }
    })

const createLiftCommand = (io: Io): Command =>
  new Command('lift')
    .description('Let a halted session continue')
    .argument('<session>', 'the session')
    .option('--json', 'print JSON')
    .action(async (session: string, { json }: { json?: true }) => {
      const home = resolveHome(io.env, io.homedir)
      const halts = unwrap(await readHalts(home))
      const wasHalted = halts.some(({ session_id }) => session_id === session)
      unwrap(await liftHalt(home, session))
      if (json) return printJson(io.out, { session_id: session, lifted: wasHalted })
      io.out.write(
        wasHalted
          ? `${cleanText(session)} may continue\n`
          : `${cleanText(session)} was not halted; nothing changed\n`,
      )
    })

const parseUsd = (text: string): number => {
  const usd = Number(text)
  if (text.trim() !== '' && Number.isFinite(usd) && usd >= 0) return usd
  throw new InvalidArgumentError('It must be a number of US dollars, 0 or more.')
}

/** One line for a cycle without concerns; otherwise the votes and their evidence. */
const renderVerdict = (verdict: ObserverVerdict, paint: Paint): string => {
  const { decision, escalated, votes, evidence, rows, cost } = verdict
  const colour: Record<ObserverVoteName, (text: string) => string> = {
    continue: paint.green,
    escalate: paint.yellow,
    halt: paint.red,
  }
  const calls = `${rows} ${rows === 1 ? 'call' : 'calls'}`
  const judges = [...new Set(votes.map(({ judge }) => judge))].join(' and ')
  const price = `${formatCost(cost.cycle_usd)}, ${formatCost(cost.per_primary_hour_usd)} an hour`
  const head = `${formatTime(verdict.timestamp)}  ${colour[decision](decision)}  ${calls}, by ${judges}, ${price}\n`
  if (decision === 'continue' && !escalated) return head
  const cast = votes.map(({ observer, vote, judge, reason, evidence: cited }) => {
    const about = cited.length === 0 ? '' : ` [${cited.join(', ')}]`
    return `  ${observer}: ${colour[vote](vote)} (${judge}) ${cleanText(reason)}${paint.dim(about)}\n`
  })
  const shown = evidence.map(({ row, summary }) => paint.dim(`    ${row}  ${cleanText(summary)}\n`))
  return [head, ...cast, ...shown].join('')
}
