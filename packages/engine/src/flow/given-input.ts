import {
  type ActionManifestV2,
  actionsIn,
  describeIssues,
  type FlowEntry,
  type JsonObject,
  type PipelineDefinition,
  StewardError,
  sourcesOf,
} from '@steward/contract'
import { namesIn, OF_ITEMS } from '../pipeline/undeclared-fields.ts'
import { checkWith } from './check-with.ts'
import { defined, type FlowItem } from './item.ts'

/** The input that a flow's pipeline takes: JSON, because a worker carries it. */
export interface TakenInput {
  /** Undefined if the pipeline takes any field. */
  declared?: PipelineDefinition['input']
  /** Further fields, which its actions declare. */
  read: string[]
}

export const takenBy = (
  { actions, input }: Pick<PipelineDefinition, 'actions' | 'input'>,
  manifestOf: (action: string) => Pick<ActionManifestV2, 'input'> | undefined,
): TakenInput => {
  const names = actionsIn(actions).flatMap((action) => {
    const manifest = manifestOf(action)
    return manifest === undefined ? [] : (namesIn(manifest.input) ?? [])
  })
  const read = [...new Set(names)].toSorted()
  return { ...(input === undefined ? {} : { declared: input }), read }
}

/** What a person gave to one run. */
export interface GivenInput {
  /** Override the flow's `with`. */
  fields?: JsonObject
  /** Replaces the items of the sources. */
  item?: FlowItem
}

/**
 * Fields that the flow's `with` sets, and optional ones that the pipeline declares, override
 * `with`. All others are the fields of one item, which the run works on instead of reading the
 * sources. Refuses fields that nothing here takes, before anything is read.
 */
export const readGiven = (
  flow: FlowEntry,
  given: JsonObject,
  taken: TakenInput,
  newId: () => string,
): GivenInput => {
  const { name, with: own = {} } = flow
  const refuse = (reason: string) =>
    new StewardError('invalid_input', { subject: name, reason, field: 'input' })
  if (sourcesOf(flow)[0].type === 'feeds') throw refuse('it has no pipeline that takes input')
  const { declared = {} } = taken
  const ofItems = new Set([...OF_ITEMS, ...OTHER_ITEM_FIELDS, ...taken.read])
  const isDeclared = (field: string) => Object.hasOwn(declared, field)
  const entries = Object.entries(given)
  const checked = entries.filter(([field]) => isDeclared(field) || !ofItems.has(field))
  const issues = checkWith(Object.fromEntries(checked), taken.declared, 'input')
  if (issues.length > 0) throw refuse(describeIssues(issues))
  const isOverride = ([field]: [string, unknown]) =>
    Object.hasOwn(own, field) || (isDeclared(field) && !isNeeded(declared[field]))
  const fields = Object.fromEntries(entries.filter(isOverride))
  const payload = Object.fromEntries(entries.filter((entry) => !isOverride(entry)))
  return {
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(Object.keys(payload).length === 0 ? {} : { item: itemOf(payload, newId) }),
  }
}

/** Besides those that conditions may use. */
const OTHER_ITEM_FIELDS = ['id', 'link', 'author', 'enclosure_url']

/** Whether each item has to bring it. */
const isNeeded = (spec: NonNullable<PipelineDefinition['input']>[string] | undefined): boolean =>
  spec?.required === true && spec.default === undefined

const itemOf = ({ id, ...payload }: JsonObject, newId: () => string): FlowItem => {
  const url = payload.url ?? payload.link
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : newId(),
    title: typeof payload.title === 'string' ? payload.title : null,
    payload: { ...defined({ url, source_url: url, id }), ...payload },
  }
}

/**
 * The failure of an item that a person gave. If the pipeline cannot use its fields, the item is
 * rejected: with an item of a source, the flow would be blocked, because all others would fail, too.
 */
export const failureOfGiven = (error: StewardError): StewardError =>
  error.code === 'invalid_input'
    ? new StewardError('rejected_content', { subject: 'the item', reason: error.message }, error)
    : error
