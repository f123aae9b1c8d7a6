import { LIMITS, OBSERVER_JUDGES } from '@steward/contract'
import { liftHalt, readHalts, resolveHome } from '@steward/platform'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Io } from '../io.ts'
import { type ObserveFlags, observeSession } from '../observe/observe-session.ts'
import { cleanText } from '../output/clean-text.ts'
import { formatTime } from '../output/format.ts'
import { printJson } from '../output/print-json.ts'

const HELP = `
Examples:
  steward observe --session "$SESSION_ID"                     until the session ends
  steward observe --session "$SESSION_ID" --policy rotate.yaml
  steward observe --session "$SESSION_ID" --once --json       judge what is in the log, and end
  steward observe halts                                       who is halted, and why
  steward observe lift "$SESSION_ID"                          let it go on

Three observers (policy-compliance, intent-drift, blast-radius) read the tool-activity log and
nothing else, and vote every 30 seconds. Two halts stop the session: the guards refuse its tool calls
until you lift that. Any escalate is told you. It refuses to start for interactive, urgent, short and
read-only sessions and those whose changes are all asked for (exit code 4); --force overrides that.
With --once exit code 1 means that something was found. Policy files: docs/observers.md.
`

export const createObserveCommand = (io: Io): Command =>
  new Command('observe')
    .description('Three read-only observers of a session that runs without you.')
    .addCommand(createRunCommand(io), { isDefault: true })
    .addCommand(createHaltsCommand(io))
    .addCommand(createLiftCommand(io))
    .addHelpText('after', HELP)

const createRunCommand = (io: Io): Command =>
  new Command('run')
    .description('Observes a session; this is what `steward observe --session` does.')
    .requiredOption('--session <id>', 'the session, as its host calls it')
    .option('--policy <file>', 'what the session is for and may do (YAML)')
    .option('--once', 'judge what is in the log, cycle by cycle, and end')
    .option('--force', 'also where observers should not be used')
    .addOption(
      new Option(
        '--judge <judge>',
        'a model above the rules where there is one, unless given',
      ).choices(OBSERVER_JUDGES),
    )
    .option(
      '--budget <usd>',
      `what models may cost in an hour (${LIMITS.observerUsdPerHour} unless given)`,
      parseUsd,
    )
    .option('--json', 'print each verdict as a line of JSON')
    .addHelpText('after', HELP)
    .action((flags: ObserveFlags) => observeSession(io, flags))

const createHaltsCommand = (io: Io): Command =>
  new Command('halts')
    .description('Shows the sessions that are halted.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const halts = await readHalts(resolveHome(io.env, io.homedir))
      if (!halts.ok) throw halts.error
      if (json) return printJson(io.out, halts.value)
      if (halts.value.length === 0) io.out.write('no session is halted\n')
      for (const { session_id, reason, at, by } of halts.value) {
        io.out.write(
          `${cleanText(session_id)}  ${formatTime(at)}  by ${cleanText(by)}: ${cleanText(reason)}\n`,
        )
      }
    })

const createLiftCommand = (io: Io): Command =>
  new Command('lift')
    .description('Lets a halted session go on.')
    .argument('<session>', 'the session')
    .option('--json', 'print JSON')
    .action(async (session: string, { json }: { json?: true }) => {
      const home = resolveHome(io.env, io.homedir)
      const halts = await readHalts(home)
      if (!halts.ok) throw halts.error
      const wasHalted = halts.value.some(({ session_id }) => session_id === session)
      const lifted = await liftHalt(home, session)
      if (!lifted.ok) throw lifted.error
      if (json) return printJson(io.out, { session_id: session, lifted: wasHalted })
      io.out.write(
        wasHalted
          ? `${cleanText(session)} may go on\n`
          : `${cleanText(session)} was not halted; nothing changed\n`,
      )
    })

const parseUsd = (text: string): number => {
  const usd = Number(text)
  if (text.trim() !== '' && Number.isFinite(usd) && usd >= 0) return usd
  throw new InvalidArgumentError('It must be a number of US dollars, 0 or more.')
}
