import { type FlowItemView, ITEM_STATES, type ItemState } from '@steward/contract'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { type EdgeChoice, isOnEdge, listEdgeItems } from './edge-items.ts'

const HELP = `
States:
  found       known, not processed yet; or processing failed and is tried again
  processed   the pipeline's output is stored, for the next digest if the flow has one
  waiting     stored until the destination takes it; no further model call
  delivered   done
  rejected    its content cannot be used
  given-up    failed for longer than retry.giveUpAfter of the flow (7 days)
  filtered    dropped by a condition of the flow or its pipeline

Examples:
  steward flows items F_NEWS_DIGEST
  steward flows items F_NEWS_DIGEST --state waiting --json
  steward flows items F_NEWS_DIGEST --cloud    of the deployed worker
`

interface ItemsFlags extends EdgeChoice {
  state?: ItemState
  limit: number
  json?: true
}

export const createFlowsItemsCommand = (io: Io): Command =>
  new Command('items')
    .description('List the items of a flow and their states')
    .argument('<flow>', 'a name (F_…) or an id')
    .addOption(new Option('--state <state>', 'only items in this state').choices(ITEM_STATES))
    .option('--limit <n>', 'at most this many items', parseCount, 100)
    .option('--edge', 'items on the local edge, or of the deployed worker')
    .option('--cloud', 'items of the deployed worker')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (flow: string, flags: ItemsFlags) => {
      const items = await (isOnEdge(flags) ? listEdgeItems : listLocalItems)(io, flow, flags)
      if (flags.json) printJson(io.out, { items })
      else io.out.write(renderItems(items, io.out.paint))
    })

const listLocalItems = (
  io: Io,
  flow: string,
  { state, limit }: ItemsFlags,
): Promise<FlowItemView[]> =>
  withLocalRuntime(io, async ({ flows, redactor }) => {
    const found = await flows.items(flow, { state, limit })
    return found.map((item) => ({
      ...item,
      title: item.title === null ? null : redactor.redactText(item.title).value,
      error: item.error === null ? null : redactor.redactText(item.error).value,
    }))
  })

const renderItems = (items: readonly FlowItemView[], paint: Paint): string => {
  if (items.length === 0) return 'no items\n'
  const colours: Partial<Record<ItemState, (text: string) => string>> = {
    waiting: paint.yellow,
    found: paint.yellow,
    rejected: paint.red,
    'given-up': paint.red,
    delivered: paint.green,
  }
  return formatTable([
    ['item', 'title', 'state', 'attempts', 'next attempt', 'reason'].map(paint.dim),
    ...items.map((item) => {
      const { id, title, state, attempts, nextAttemptAt } = item
      return [
        cleanText(id),
        cleanText(title ?? ''),
        (colours[state] ?? String)(state),
        String(attempts),
        nextAttemptAt ?? '',
        cleanText(reasonOf(item)),
      ]
    }),
  ])
}

/** Why it is not delivered, and what each destination did if there are several. */
const reasonOf = ({ error, deliveries = [] }: FlowItemView): string =>
  [error, ...deliveries.map(({ destination, state }) => `${destination}: ${state}`)]
    .filter((part) => part !== null)
    .join('; ')
