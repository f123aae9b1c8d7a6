import { type CatalogField, destinationsOf, sourcesOf } from '@steward/contract'
import { describeDigest, describeTiming } from '@steward/engine'
import {
  type Catalog,
  type DescribedPrimitive,
  describePrimitive,
  type FlowTimes,
  type ListedEntry,
  type Listing,
  listCatalog,
  readFlowTimes,
} from '@steward/runner'
import { Command } from 'commander'
import type { Io, Sink } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

interface ListFlags {
  json?: true
  names?: true
}

const HELP = `
Examples:
  steward list                    list everything, yours and built-in
  steward list A_SUMMARIZE        show its inputs and outputs
  steward list --json             the same for programs
  steward list --names            only names, one per line

Definitions that cannot be loaded are listed with their error.
`

const KINDS = ['actions', 'pipelines', 'flows'] as const

export const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List actions, pipelines and flows, or show one')
    .argument('[name]', 'A_…, P_… or F_…')
    .option('--json', 'print JSON')
    .option('--names', 'print only names, one per line')
    .addHelpText('after', HELP)
    .action((name: string | undefined, flags: ListFlags) =>
      withLocalRuntime(io, async (steward) => {
        if (name !== undefined) {
          const described = await describePrimitive(steward.catalog, name)
          if (flags.json) printJson(io.out, described)
          else io.out.write(renderPrimitive(described, io.out.paint))
          return
        }
        if (flags.names) {
          const kinds = KINDS.filter((kind) => kind === io.args[0])
          const names = listNames(steward.catalog, kinds.length === 0 ? KINDS : kinds)
          io.out.write(names.map((found) => `${found}\n`).join(''))
          return
        }
        const listing = narrow(await listCatalog(steward.catalog), io.args[0])
        const times = await readFlowTimes(steward, Date.now())
        const flows = listing.flows?.map((flow) => ({ ...flow, ...times.get(flow.name) }))
        if (flags.json) printJson(io.out, { ...listing, ...(flows && { flows }) })
        else if (io.args[0] === 'flows') io.out.write(renderFlows(listing, times, io.out))
        else io.out.write(renderListing(listing, io.out))
      }),
    )

/** `steward actions` is `steward list` for actions only. */
const narrow = (listing: Listing, word: string | undefined): Partial<Listing> => {
  const kind = KINDS.find((name) => name === word)
  return kind === undefined ? listing : { [kind]: listing[kind] }
}

const TITLES = { actions: 'Actions', pipelines: 'Pipelines', flows: 'Flows' } as const

/** The listing for people: one table per kind, errors in red below the name. */
const renderListing = (listing: Partial<Listing>, { paint }: Sink): string => {
  const sections = (['actions', 'pipelines', 'flows'] as const).flatMap((kind) => {
    const entries = listing[kind]
    if (entries === undefined) return []
    const rows = entries.map((entry) => [
      `  ${entry.error === undefined ? entry.name : paint.red(entry.name)}`,
      paint.dim(describeOrigin(entry)),
      cleanText(describeEntry(entry)),
    ])
    const body = rows.length === 0 ? '  none\n' : formatTable(rows)
    return [`${paint.bold(TITLES[kind])}\n${body}`]
  })
  const errors = (listing.errors ?? []).map(
    (error) => `${paint.red('error:')} ${cleanText(error)}\n`,
  )
  return [...sections, ...errors].join('\n')
}

/** `steward flows`: when each flow runs and how its last run ended. */
const renderFlows = (
  { flows = [], errors = [] }: Partial<Listing>,
  times: ReadonlyMap<string, FlowTimes>,
  { paint }: Sink,
): string => {
  const rows = flows.map(({ name, error }) => {
    if (error !== undefined) return [paint.red(name), cleanText(`does not load: ${error}`), '', '']
    const { when = '', next, last } = times.get(name) ?? {}
    const ended =
      last === null || last === undefined ? 'never' : `${last.startedAt} ${last.outcome}`
    return [name, when, next ?? '-', ended]
  })
  return [
    flows.length === 0 ? 'none\n' : formatTable([['FLOW', 'WHEN', 'NEXT', 'LAST RUN'], ...rows]),
    ...errors.map((error) => `${paint.red('error:')} ${cleanText(error)}\n`),
  ].join('\n')
}

const describeOrigin = ({ origin, overrides }: ListedEntry): string =>
  overrides ? `${origin}, overriding` : origin

const describeEntry = ({ error, description, pipeline, enabled, runsOn }: ListedEntry): string => {
  if (error !== undefined) return `does not load: ${error.replace(/^does not load: /, '')}`
  const text = description ?? (pipeline === undefined ? '' : `runs ${pipeline}`)
  if (enabled === false) return `${text} (disabled)`
  return enabled === true && runsOn !== 'here' ? `${text} (manual here)` : text
}

/** One action, pipeline or flow for people. */
const renderPrimitive = (described: DescribedPrimitive, paint: Paint): string => {
  const { name, description, origin, overrides, path, requires = [], actions = [] } = described
  const { warnings = [] } = described
  const { flow, input, output } = described
  const facts = [
    [paint.dim('where'), `${path} (${origin}${overrides ? ', overriding' : ''})`],
    ...(requires.length > 0 ? [[paint.dim('needs'), requires.join(', ')]] : []),
    ...(actions.length > 0 ? [[paint.dim('actions'), actions.join(' > ')]] : []),
    ...(flow === undefined ? [] : flowFacts(flow, paint)),
    ...warnings.map((warning) => [paint.yellow('note'), cleanText(warning)]),
  ]
  return [
    `${paint.bold(name)}  ${cleanText(description ?? '')}\n`,
    formatTable(facts),
    ...(input === undefined ? [] : [renderFields('Input', input, paint)]),
    ...(output === undefined ? [] : [renderFields('Output', output, paint)]),
  ].join('\n')
}

const renderFields = (title: string, fields: readonly CatalogField[], paint: Paint): string => {
  const rows = fields.map(({ name, type, required, description }) => [
    `  ${name}`,
    type,
    required ? 'required' : '',
    cleanText(description ?? ''),
  ])
  return `${paint.bold(title)}\n${rows.length === 0 ? '  none\n' : formatTable(rows)}`
}

const flowFacts = (flow: NonNullable<DescribedPrimitive['flow']>, paint: Paint): string[][] => {
  const { enabled, runsOn } = flow.schedule
  const where = runsOn === 'here' ? ', on this machine' : '; manual here, on schedule at the edge'
  return [
    [paint.dim('id'), flow.id],
    ...sourcesOf(flow).map((each) => [paint.dim('source'), JSON.stringify(each)]),
    ...(flow.filter === undefined ? [] : [[paint.dim('filter'), flow.filter]]),
    [paint.dim('pipeline'), flow.pipeline ?? 'none: its items go to a queue'],
    ...(flow.with === undefined ? [] : [[paint.dim('with'), JSON.stringify(flow.with)]]),
    ...(flow.digest === undefined ? [] : [[paint.dim('digest'), describeDigest(flow.digest)]]),
    ...destinationsOf(flow).map((each) => [paint.dim('goes to'), JSON.stringify(each)]),
    [paint.dim('runs'), `${describeTiming(flow.schedule)}${enabled ? where : ' (disabled)'}`],
    ...(flow.loop === undefined ? [] : [[paint.dim('loop'), JSON.stringify(flow.loop)]]),
  ]
}

export type Kind = 'actions' | 'pipelines' | 'flows'

/** Names only: nothing is loaded, so that completion stays fast. */
export const listNames = (catalog: Catalog, kinds: readonly Kind[]): string[] =>
  kinds.flatMap((kind) =>
    kind === 'flows'
      ? catalog.flows.all().map(({ flow }) => flow.name)
      : [...catalog[kind].entries().keys()],
  )
