import { StewardError } from '@steward/contract'
import { describeQueues, openQueueView, type QueueLine, type QueueView } from '@steward/edge'
import type { StoredMessage } from '@steward/runner'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

const HELP = `
Examples:
  steward edge queues                  every queue: ready, delayed, leased and dead messages
  steward edge queues feed-items       one queue and its first messages
  steward edge queues retry feed-items deliver its dead letters again

These are the queues of the local edge, whether it is running or not.
`

const PEEKED = 10

export const createEdgeQueuesCommand = (io: Io): Command =>
  new Command('queues')
    .description('Show the queues of the local edge')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createRetryCommand(io))
    .addHelpText('after', HELP)

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('Show every queue, or one with its first messages')
    .argument('[name]', 'show only this queue')
    .option('--json', 'print JSON')
    .option('--limit <count>', 'maximum number of messages', parseCount, PEEKED)
    .action((name: string | undefined, flags: { json?: true; limit: number }) =>
      withQueues(io, async (view) => {
        if (name !== undefined) return showOne(io, view, name, flags)
        const all = describeQueues(view)
        if (flags.json) printJson(io.out, all)
        else io.out.write(renderQueues(all, view.now()))
      }),
    )

const createRetryCommand = (io: Io): Command =>
  new Command('retry')
    .description('Move the dead letters of a queue back into it')
    .argument('<name>', 'name of the queue')
    .option('--json', 'print JSON')
    .action((name: string, flags: { json?: true }) =>
      withQueues(io, async ({ inventory, deadLetterQueueOf, names }) => {
        const from = deadLetterQueueOf(name)
        if (!names.includes(name) && !names.includes(from)) throw unknownQueue(name, names)
        const moved = await inventory.moveAll(from, name)
        if (flags.json) printJson(io.out, { queue: name, from, moved })
        else io.out.write(`${moved} moved from ${from} to ${name}\n`)
      }),
    )

const withQueues = (io: Io, use: (view: QueueView) => Promise<void>): Promise<void> =>
  withLocalRuntime(io, async ({ home }) => {
    const view = await openQueueView(home, io.now)
    try {
      await use(view)
    } finally {
      await view.close()
    }
  })

const showOne = async (
  io: Io,
  view: QueueView,
  name: string,
  { json, limit }: { json?: true; limit: number },
): Promise<void> => {
  const found = describeQueues(view).find(({ queue }) => queue === name)
  if (found === undefined) throw unknownQueue(name, view.names)
  const messages = view.inventory.peek(name, limit).map(({ sentAt, ...rest }) => ({
    ...rest,
    sentAt: new Date(sentAt).toISOString(),
  }))
  if (json) return printJson(io.out, { ...found, messages })
  io.out.write(renderQueues([found], view.now()))
  io.out.write(renderMessages(messages))
}

const unknownQueue = (name: string, names: readonly string[]): StewardError =>
  new StewardError('not_found', {
    what: 'queue',
    name,
    hint: names.length === 0 ? '; no queue exists yet' : `; existing queues: ${names.join(', ')}`,
  })

const renderQueues = (queues: readonly QueueLine[], nowMs: number): string => {
  if (queues.length === 0) return 'no queues yet\n'
  const rows = queues.map(({ queue, consumer, ready, delayed, leased, dead, oldest }) => [
    queue,
    String(ready),
    String(delayed),
    String(leased),
    String(dead),
    oldest === null ? '' : formatDuration(Math.max(0, nowMs - Date.parse(oldest))),
    consumer ?? '(none)',
  ])
  return formatTable([
    ['queue', 'ready', 'delayed', 'leased', 'dead', 'oldest', 'consumer'],
    ...rows,
  ])
}

const BODY_CHARS = 100

const renderMessages = (
  messages: readonly (Omit<StoredMessage, 'sentAt'> & { sentAt: string })[],
): string => {
  if (messages.length === 0) return '\nno messages\n'
  const rows = messages.map(({ id, state, attempts, sentAt, body }) => {
    const text = cleanText(JSON.stringify(body))
    const shown = text.length > BODY_CHARS ? `${text.slice(0, BODY_CHARS)}…` : text
    return [id.slice(0, 8), state, `${attempts} deliveries`, sentAt, shown]
  })
  return `\n${formatTable(rows)}`
}
