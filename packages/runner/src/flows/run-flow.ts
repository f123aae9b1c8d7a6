import { LIMITS, type StewardError, toStewardError } from '@steward/contract'
import {
  type ChosenItems,
  chooseItems,
  classifyDeliveryFailure,
  type FlowItem,
  type ItemLedger,
  type ItemOutcome,
  type LedgerEntry,
  recordError,
  summarise,
  withoutRecall,
} from '@steward/engine'
import { fetchUntil } from '@steward/platform'
import { z } from 'zod'
import { readSource } from '../sources/index.ts'
import type { SourcePorts } from '../sources/source.ts'
import { endFlowRun } from './end-flow-run.ts'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import type { FlowOutcome } from './flow-runner.ts'
import { endKnownItem, endStep, runFlowItems, type StepResult } from './run-flow-items.ts'

export const chosenItems = z.object({
  found: z.int(),
  alreadySeen: z.int(),
  givenUp: z.int().default(0),
  postponed: z.int(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string().nullable(),
      payload: z.record(z.string(), z.unknown()),
    }),
  ),
})

type FlowLedger = ReturnType<FlowPorts['ledger']>

interface ReadItems {
  chosen: ChosenItems
  entries: ReadonlyMap<string, LedgerEntry>
  sourceError?: StewardError
}

/** Source, pipeline, destination: step 1 of the run is the source, each item is a later step. */
export const runFlow = async (run: FlowRun, ports: FlowPorts): Promise<FlowOutcome> => {
  const { runId, loaded, earlier, options } = run
  const startedAt = ports.now()
  const ledger: FlowLedger = ports.ledger(loaded.flow.id)
  const { chosen, entries, sourceError }: ReadItems =
    earlier === undefined
      ? await readItems(run, ledger, ports)
      : { chosen: earlier.chosen, entries: byId(await ledger.open()) }
  const { found, alreadySeen, items } = chosen
  const message = `${loaded.flow.name}: ${found} items found, ${alreadySeen} seen before, ${items.length} to do`
  options.onProgress?.({ kind: 'note', runId, message })
  const known = await endKnownItems(run, chosen, entries, ledger, ports)
  const todo = items.flatMap((item, index) => (known.has(index) ? [] : [{ item, index }]))
  const worked = await runFlowItems(run, todo, entries, ledger, ports)
  const blocked = worked.blocked ?? (sourceError && isSetup(sourceError) ? sourceError : undefined)
  const summary = summarise({
    found,
    alreadySeen,
    givenUpBefore: chosen.givenUp,
    postponed: chosen.postponed,
    outcomes: [...known.values(), ...worked.outcomes],
    runId,
    startedAt,
    endedAt: ports.now(),
    spend: ports.history.spend({ runId }),
    ...(sourceError === undefined ? {} : { sourceError: recordError(sourceError) }),
    ...(blocked === undefined ? {} : { blocked: recordError(blocked) }),
  })
  return endFlowRun(run, summary, undefined, ports)
}

/** Whether a person has to correct something. A source may redirect to a refused address by itself. */
const isSetup = (error: StewardError): boolean =>
  error.code === 'invalid_input' ||
  (error.code !== 'address_refused' && classifyDeliveryFailure(error) === 'configuration')

const byId = (entries: readonly LedgerEntry[]): Map<string, LedgerEntry> =>
  new Map(entries.map((entry) => [entry.id, entry]))

/** The outcomes of items that an interrupted attempt of this run settled. */
const endKnownItems = async (
  run: FlowRun,
  { items }: ChosenItems,
  entries: ReadonlyMap<string, LedgerEntry>,
  ledger: ItemLedger,
  ports: FlowPorts,
): Promise<Map<number, ItemOutcome>> => {
  const known = new Map<number, ItemOutcome>()
  if (run.earlier === undefined) return known
  const states = await ledger.lookUp(items.map(({ id }) => id))
  for (const [index, item] of items.entries()) {
    if (run.earlier.finished.has(index)) known.set(index, { kind: 'delivered' })
    else if (!entries.has(item.id)) {
      known.set(index, await endKnownItem(run, item, index, states.get(item.id), ports))
    }
  }
  return known
}

const readItems = async (
  run: FlowRun,
  ledger: FlowLedger,
  ports: FlowPorts,
): Promise<ReadItems> => {
  const { runId, loaded, options } = run
  const { now } = ports
  const limit = loaded.flow.maxItems ?? LIMITS.flowItemsPerRun
  const end = (outcome: StepResult) => endStep(run, 0, outcome, ports)
  if (run.only !== undefined) {
    const retried = chooseStored(run.only, await ledger.open())
    if (retried !== undefined) {
      await end({ output: { ...retried.chosen } })
      return retried
    }
  }
  const { memory } = ledger
  const reading = { memory: run.only === undefined ? memory : withoutRecall(memory) }
  const { found, error } = await readSourceOf(run, reading, ports)
  options.signal?.throwIfAborted()
  // Items that wait for the destination do not need the source.
  const read = await chooseItems(found, ledger, limit, { runId, atMs: now() })
  await memory.commit(read.entries.values())
  const isUnread = error !== undefined && found.length === 0
  await end(isUnread ? { error: recordError(error) } : { output: { ...read.chosen } })
  return { ...read, ...(error === undefined ? {} : { sourceError: error }) }
}

/** The items of the source, and its error if not all of it could be read. */
const readSourceOf = async (
  { loaded, source, webhook, options }: FlowRun,
  reading: Pick<SourcePorts, 'memory'>,
  ports: FlowPorts,
): Promise<{ found: FlowItem[]; error?: StewardError }> => {
  const errors: StewardError[] = []
  const report = (error: StewardError) => errors.push(error)
  const { signal } = options
  const fetch = fetchUntil(ports.fetch, signal)
  const given = { ...ports, ...reading, fetch, report, folder: loaded.folder, signal }
  const found = await readSource(source, given, webhook).catch((thrown: unknown) => {
    report(toStewardError(thrown, 'upstream_failed', { service: `the ${source.type} source` }))
    return []
  })
  const [error] = errors
  return { found, ...(error === undefined ? {} : { error }) }
}

/** Undefined if an item is not stored, so that only the source has it. */
const chooseStored = (
  ids: readonly string[],
  open: readonly LedgerEntry[],
): ReadItems | undefined => {
  const wanted = new Set(ids)
  const chosen = open.filter(({ id }) => wanted.has(id))
  if (chosen.some(({ payload, output }) => payload === null && output === null)) return undefined
  const items = chosen.map(({ id, title, payload }) => ({ id, title, payload: payload ?? {} }))
  return {
    chosen: { found: items.length, alreadySeen: 0, givenUp: 0, postponed: 0, items },
    entries: byId(open),
  }
}
