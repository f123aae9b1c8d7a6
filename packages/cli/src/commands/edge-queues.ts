import { StewardError } from '@steward/contract'
import { Command } from 'commander'
import { describeQueues, openQueueView, type QueueView } from '../edge/up/queue-view.ts'
import { renderMessages, renderQueues } from '../edge/up/render-queues.ts'
import type { Io } from '../io.ts'
import { printJson } from '../output/print-json.ts'
import { withSteward } from '../setup/open-local.ts'
import { parseCount } from './parse-count.ts'

const HELP = `
Examples:
  steward edge queues                  every queue: what is ready, delayed, leased, dead
  steward edge queues feed-items       one queue and its first messages
  steward edge queues retry feed-items its dead letters go back for delivery

These are the queues of the local edge; they can be looked at whether it runs or not.
`

const PEEKED = 10

export const createEdgeQueuesCommand = (io: Io): Command =>
  new Command('queues')
    .description('Shows the queues of the local edge.')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createRetryCommand(io))
    .addHelpText('after', HELP)

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('Shows every queue, or one with its first messages.')
    .argument('[name]', 'one queue')
    .option('--json', 'print JSON')
    .option('--limit <count>', 'how many messages', parseCount, PEEKED)
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
    .description('Moves the dead letters of a queue back into it.')
    .argument('<name>', 'the queue')
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
  withSteward(io, async ({ home }) => {
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
    hint: names.length === 0 ? '; there is none yet' : `; there are ${names.join(', ')}`,
  })
