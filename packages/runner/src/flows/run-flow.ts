import { resolve } from 'node:path'
import { destinationsOf, type FlowEntry, LIMITS, type StewardError } from '@steward/contract'
import {
  type ChosenItems,
  chooseItems,
  classifyDeliveryFailure,
  type FlowItem,
  type ItemLedger,
  type ItemOutcome,
  isToDo,
  type LedgerEntry,
  prefixOf,
  type ReadSources,
  readSources,
  recordError,
  type SourceError,
  summarise,
  type WorkedItems,
  withoutRecall,
  workDigests,
} from '@steward/engine'
import { fetchUntil } from '@steward/platform'
import { z } from 'zod'
import { readSource } from '../sources/index.ts'
import type { SourcePorts } from '../sources/source.ts'
import { endFlowRun } from './end-flow-run.ts'
import { flowItem } from './flow-input.ts'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import type { FlowOutcome } from './flow-runner.ts'
import {
  endKnownItem,
  endStep,
  runFlowItems,
  type StepResult,
  settledKind,
} from './run-flow-items.ts'

export const chosenItems = z.object({
  found: z.int(),
  alreadySeen: z.int(),
  givenUp: z.int().default(0),
  postponed: z.int(),
  items: z.array(flowItem),
})

type FlowLedger = ReturnType<FlowPorts['ledger']>

interface ReadItems {
  chosen: ChosenItems
  entries: ReadonlyMap<string, LedgerEntry>
  sourceErrors?: readonly SourceError[]
  isPartlyRead?: boolean
}

/** Source, pipeline, destination: step 1 of the run is the source, each item is a later step. */
export const runFlow = async (run: FlowRun, ports: FlowPorts): Promise<FlowOutcome> => {
  const { runId, loaded, earlier, options } = run
  const startedAt = ports.now()
  const ledger: FlowLedger = ports.ledger(loaded.flow.id)
  const {
    chosen,
    entries,
    sourceErrors = [],
    isPartlyRead = false,
  }: ReadItems = earlier === undefined
    ? await readItems(run, ledger, ports)
    : { chosen: earlier.chosen, entries: byId(await ledger.open()) }
  const { found, alreadySeen, items } = chosen
  const message = `${loaded.flow.name}: ${found} ${found === 1 ? 'item' : 'items'} found, ${alreadySeen} seen before, ${items.length} to do`
  options.onProgress?.({ kind: 'note', runId, message })
  const known = await endKnownItems(run, chosen, entries, ledger, ports)
  const todo = items.flatMap((item, index) => (known.has(index) ? [] : [{ item, index }]))
  const { outcomes, blocked: stop } = await workAndDeliver(run, todo, entries, ledger, ports)
  const broken = isPartlyRead ? undefined : sourceErrors.map(({ error }) => error).find(isSetup)
  const blocked = stop ?? broken
  const summary = summarise({
    found,
    alreadySeen,
    givenUpBefore: chosen.givenUp,
    postponed: chosen.postponed,
    // Those that a digest takes are counted with it.
    outcomes: [...known.values().filter(({ kind }) => kind !== 'collected'), ...outcomes],
    runId,
    startedAt,
    endedAt: ports.now(),
    spend: ports.history.spend({ runId }),
    sourceErrors: sourceErrors.map(({ error, source }) => ({
      ...recordError(error),
      item: source,
    })),
    isPartlyRead,
    ...(blocked === undefined ? {} : { blocked: recordError(blocked) }),
  })
  return endFlowRun(run, summary, undefined, ports)
}

/** Works on items, and on the digests of a flow that collects them. */
const workAndDeliver = async (
  run: FlowRun,
  todo: readonly { item: FlowItem; index: number }[],
  entries: ReadonlyMap<string, LedgerEntry>,
  ledger: ItemLedger,
  ports: FlowPorts,
): Promise<WorkedItems> => {
  const { flow } = run.loaded
  const { digest } = flow
  const atOnce = () => ({ runId: run.runId, atMs: ports.now() })
  const collects = digest !== undefined
  const worked = await runFlowItems(run, todo, entries, ledger, ports, { collects })
  if (digest === undefined) {
    // The flow may have had a digest when these items were collected.
    const isMember = entries.values().some((entry) => entry.digest !== null)
    if (isMember) await ledger.followDigests(atOnce())
    return worked
  }
  let step = Math.max(
    0,
    ...todo.map(({ index }) => index + 1),
    run.earlier?.chosen.items.length ?? 0,
  )
  const sent = await workDigests(
    { ...flow, digest },
    {
      ledger,
      run: atOnce,
      zone: ports.zone(),
      deliver: (digests, stored) => {
        const steps = digests.map((item) => ({ item, index: step++ }))
        return runFlowItems(run, steps, stored, ledger, ports, { action: 'digest' })
      },
    },
  )
  return {
    outcomes: [...worked.outcomes.filter(({ kind }) => kind !== 'collected'), ...sent.outcomes],
    blocked: worked.blocked ?? sent.blocked,
  }
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
    if (run.earlier.finished.has(index)) {
      const kind = settledKind(states.get(item.id)) ?? 'delivered'
      known.set(index, { kind: run.loaded.flow.digest || kind === 'filtered' ? kind : 'delivered' })
    } else if (!entries.has(item.id) || isCollected(entries.get(item.id), run)) {
      known.set(index, await endKnownItem(run, item, index, states.get(item.id), ports))
    }
  }
  return known
}

/** An earlier attempt of this run stored its output for the digest. */
const isCollected = (entry: LedgerEntry | undefined, { loaded }: FlowRun): boolean =>
  loaded.flow.digest !== undefined && entry !== undefined && entry.output !== null

const readItems = async (
  run: FlowRun,
  ledger: FlowLedger,
  ports: FlowPorts,
): Promise<ReadItems> => {
  const { runId, loaded, options, sources } = run
  const { now } = ports
  const limit = loaded.flow.maxItems ?? LIMITS.flowItemsPerRun
  const collects = loaded.flow.digest !== undefined
  const choice = { collects, ...(run.item === undefined ? {} : { only: run.item.id }) }
  const end = (outcome: StepResult) => endStep(run, 0, outcome, ports)
  if (run.only !== undefined) {
    const retried = chooseStored(run.only, await ledger.open(), collects)
    if (retried !== undefined) {
      await end({ output: { ...retried.chosen } })
      return retried
    }
  }
  const [first] = sources
  if (sources.length > 1 && first !== undefined) await ledger.adoptIds(prefixOf(first))
  const { memory } = ledger
  const reading = { memory: run.only === undefined ? memory : withoutRecall(memory) }
  const { items, errors, isRead } =
    run.item === undefined
      ? await readFlowSources({ ...run, signal: options.signal }, reading, ports)
      : { items: [run.item], errors: [], isRead: true }
  options.signal?.throwIfAborted()
  for (const { source, error } of errors) {
    if (source === null) continue
    const message = `${source} could not be read: ${error.message}`
    options.onProgress?.({ kind: 'note', runId, message })
  }
  // Items that wait for the destination do not need the source.
  const read = await chooseItems(items, ledger, limit, { runId, atMs: now() }, choice)
  await memory.commit(read.entries.values())
  const error = errors[0]?.error
  await end(
    isRead || error === undefined
      ? {
          output: {
            ...read.chosen,
            ...(error && { errors: errors.map((each) => each.error.message) }),
          },
        }
      : { error: recordError(error) },
  )
  return { ...read, sourceErrors: errors, isPartlyRead: isRead }
}

/** All current items of a flow's sources, in order. */
export const readFlowSources = (
  {
    loaded,
    sources,
    webhook,
    signal,
  }: Pick<FlowRun, 'loaded' | 'sources' | 'webhook'> & Pick<SourcePorts, 'signal'>,
  reading: Pick<SourcePorts, 'memory'>,
  ports: FlowPorts,
): Promise<ReadSources> => {
  const fetch = fetchUntil(ports.fetch, signal)
  const { roots, never = [] } = ports.folders
  // A flow that reads what it writes would never end.
  const folders = { never: [...never, ...pathsOf(loaded.flow, roots[0])] }
  const own = { ...ports, ...reading, fetch, folder: loaded.folder, folders, signal }
  return readSources(sources, (source, report) => readSource(source, { ...own, report }, webhook))
}

/** The files and folders that a flow writes. */
const pathsOf = (flow: FlowEntry, output: string): string[] =>
  destinationsOf(flow).flatMap((destination) => {
    if (destination.type === 'file') return [resolve(output, destination.path)]
    if (destination.type !== 'git') return []
    return [resolve(output, destination.repository, destination.folder)]
  })

/** Undefined if an item is not stored, so that only the source has it. */
const chooseStored = (
  ids: readonly string[],
  open: readonly LedgerEntry[],
  collects: boolean,
): ReadItems | undefined => {
  const wanted = new Set(ids)
  const chosen = open.filter((entry) => wanted.has(entry.id) && isToDo(entry, collects))
  if (chosen.some(({ payload, output }) => payload === null && output === null)) return undefined
  const items = chosen.map(({ id, title, payload }) => ({ id, title, payload: payload ?? {} }))
  return {
    chosen: { found: items.length, alreadySeen: 0, givenUp: 0, postponed: 0, items },
    entries: byId(open),
  }
}
