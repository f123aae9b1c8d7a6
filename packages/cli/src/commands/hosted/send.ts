import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { collectOption } from '../../input/option-values.ts'
import { readBodyOption } from '../../input/read-body-option.ts'
import { readStdin } from '../../input/read-stdin.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import type { Connection } from './connect.ts'
import { createEventPrinter } from './event-printer.ts'
import { expectsTurn, isStillQueued } from './expectation.ts'
import { followSession } from './follow-session.ts'
import { asksForPermission, findCalls, renderPending } from './pending.ts'
import { confirmationOf, eventsOf, type SendFlags } from './sent-events.ts'
import { withTarget } from './target.ts'
import { describeCall } from './tool-call.ts'
import type { GivenEvent, StreamedEvent } from './types.ts'
import { withServer } from './with-server.ts'

const HELP = `
Examples:
  steward hosted send sesn_01… "Write a haiku about locks to haiku.txt"
  steward hosted send sesn_01… @plan.md                 send the text of a file; - is standard input
  steward hosted send sesn_01… --allow sevt_01…         allow a tool call that waits for you
  steward hosted send sesn_01… --deny sevt_01… --message "not in this folder"
  steward hosted send sesn_01… --result sevt_01… "42"   answer a custom tool call
  steward hosted send sesn_01… --interrupt              end the current turn
  steward hosted send sesn_01… "go on" --no-wait        send without waiting

Shows events until the session is idle, and reconnects if the connection is lost. On a terminal it asks
you about waiting tool calls at once. Exit codes: 0 the turn is complete, 1 the session gave up, refused
or used up its budget, 4 it waits for your answer.
`

export const createHostedSendCommand = (io: Io): Command =>
  withTarget(new Command('send'))
    .description('Send to a session and show its events')
    .argument('<session>', 'its id')
    .argument('[text]', 'the message; with --result, the result')
    .option('--allow <event>', 'allow this tool call; repeatable', collectOption)
    .option('--deny <event>', 'refuse this tool call; repeatable', collectOption)
    .option('--message <text>', 'with --deny: the reason, shown to the agent')
    .option('--result <event>', 'answer this custom tool call with the text')
    .option('--error', 'with --result: the call failed')
    .option('--interrupt', 'interrupt the current turn')
    .option('--no-wait', 'do not wait until it is idle')
    .addHelpText('after', HELP)
    .action((session: string, text: string | undefined, flags: SendFlags) =>
      sendToSession(io, session, text, flags),
    )

/** Sends, and shows the results until the session is idle. */
const sendToSession = async (
  io: Io,
  session: string,
  given: string | undefined,
  flags: SendFlags,
): Promise<void> => {
  const events = eventsOf(await readText(io, given, flags), flags)
  await withServer(
    io,
    flags,
    async (connection) => {
      const { client } = connection
      const waits = flags.wait && (await expectsTurn(client, session, events))
      if (waits) await sendAndWait(io, connection, session, events, flags)
      else await sendAndLeave(io, connection, session, events, flags)
      if (flags.wait && !waits) io.err.write('it is idle and does not wait for this\n')
    },
    { sessions: true },
  )
}

const readText = async (
  io: Io,
  given: string | undefined,
  { allow, deny, interrupt, result }: SendFlags,
): Promise<string | undefined> => {
  if (given !== undefined) return (await readBodyOption(io, given)).body
  const isAnswer = allow ?? deny ?? (interrupt ? [] : undefined)
  return isAnswer === undefined || result !== undefined ? readStdin(io, 'only') : undefined
}

const sendAndLeave = async (
  io: Io,
  { client }: Connection,
  session: string,
  events: GivenEvent[],
  { json }: SendFlags,
): Promise<void> => {
  const { data = [] } = await client.beta.sessions.events.send(session, { events })
  if (json) printJson(io.out, data)
  else io.out.write((data ?? []).map(({ id, type }) => `${id} ${type}\n`).join(''))
}

type Idle = Extract<StreamedEvent, { type: 'session.status_idle' }>

const sendAndWait = async (
  io: Io,
  connection: Connection,
  session: string,
  events: GivenEvent[],
  { json = false }: { json?: boolean },
): Promise<void> => {
  const { client } = connection
  const printer = createEventPrinter(io.out, json)
  const awaited = new Set<string>()
  const messages = new Set<string>()
  const send = async (given: GivenEvent[]): Promise<void> => {
    const { data } = await client.beta.sessions.events.send(session, { events: given })
    for (const { id, type } of data ?? []) {
      // The vendor's interrupts may have no id.
      if (id !== '') awaited.add(id)
      if (type === 'user.message') messages.add(id)
    }
  }
  let isOver = false

  await followSession(io, client, session, {
    deltas: io.out.isTerminal && !json,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    whenOpen: () => send(events),
    onEvent: async (event) => {
      printer.print(event)
      if ('id' in event) awaited.delete(event.id)
      // An idle event before the sent events are processed belongs to an earlier turn.
      if (event.type !== 'session.status_idle' || awaited.size > 0) return false
      if (await isStillQueued(client, session, messages)) return false
      const answers = await settle(io, connection, session, event, json)
      if (answers.length > 0) await send(answers)
      isOver = answers.length === 0
      return isOver
    },
  })
  if (!isOver) io.exitCode = EXIT.failed
}

/** Answers the waiting calls of an idle session; undefined if it is finished for now. */
const settle = async (
  io: Io,
  { client, suffix }: Connection,
  session: string,
  { stop_reason: reason }: Idle,
  json: boolean,
): Promise<GivenEvent[]> => {
  if (reason.type !== 'requires_action') {
    if (reason.type !== 'end_turn') io.exitCode = EXIT.failed
    return []
  }
  const calls = await findCalls(client, session, reason.event_ids)
  const answers: GivenEvent[] = []
  for (const call of canAsk(io) && !json ? calls.filter(asksForPermission) : []) {
    const answer = await askPermission(io, `Run ${describeCall(call)}?`)
    if (answer !== 'later') answers.push(confirmationOf(call.id, answer))
  }
  if (answers.length > 0) return answers
  io.err.write(renderPending(session, calls, suffix, io.err.paint))
  io.exitCode = EXIT.conflict
  return []
}

type Permission = 'allow' | 'deny' | 'later'

/** Whether there is a person at a terminal to ask. */
const canAsk = (io: Io): boolean => io.err.isTerminal && io.stdinKind() === 'nothing'

/** Asks the person; anything other than yes or no leaves it waiting. */
const askPermission = async (io: Io, question: string): Promise<Permission> => {
  io.err.write(`${question} [y = allow, n = refuse, Enter = later] `)
  const lines = createInterface({ input: io.stdin, signal: io.signal })
  try {
    for await (const line of lines) {
      if (/^y(es)?$/i.test(line.trim())) return 'allow'
      return /^no?$/i.test(line.trim()) ? 'deny' : 'later'
    }
    return 'later'
  } finally {
    lines.close()
  }
}
