import {
  actionsIn,
  type CatalogField,
  type FieldsSpecV2,
  isJsonObject,
  nearestHint,
  primitiveOf,
  StewardError,
} from '@steward/contract'
import type { Catalog } from './catalog.ts'
import type { LoadedFlow } from './flow-catalog.ts'

export interface DescribedPrimitive {
  name: string
  primitive: 'action' | 'pipeline' | 'flow'
  description: string | null
  origin: 'user' | 'built-in'
  overrides: boolean
  path: string
  input?: CatalogField[]
  output?: CatalogField[]
  requires?: string[]
  version?: string
  actions?: string[]
  /** Warnings for its author. */
  warnings?: string[]
  flow?: LoadedFlow['flow']
}

/** One action, pipeline or flow: its input, output and location. */
export const describePrimitive = async (
  catalog: Catalog,
  name: string,
): Promise<DescribedPrimitive> => {
  switch (primitiveOf(name)) {
    case 'action': {
      const { manifest, entry } = await catalog.actions.load(name)
      const { description, requires, version } = manifest
      return {
        ...entry,
        primitive: 'action',
        description,
        version,
        requires,
        input: describeFields(manifest.input),
        output: describeFields(manifest.output),
      }
    }
    case 'pipeline':
      return describePipeline(catalog, name)
    default:
      return describeFlow(catalog, name)
  }
}

const describePipeline = async (catalog: Catalog, name: string): Promise<DescribedPrimitive> => {
  const { definition, warnings, entry } = catalog.pipelines.load(name)
  const { description, version } = definition
  const actions = actionsIn(definition.actions)
  const loaded = await Promise.all(actions.map((action) => catalog.actions.load(action)))
  const given = describeFields(definition.input ?? {})
  const input = loaded.flatMap(({ manifest }) => describeFields(manifest.input))
  const output = loaded.flatMap(({ manifest }) => describeFields(manifest.output))
  const made = new Set(output.map((field) => field.name))
  const first = new Set(describeFields(loaded[0]?.manifest.input ?? {}).map((field) => field.name))
  // A field that an earlier action outputs need not be in the input.
  const outside = input.filter((field) => first.has(field.name) || !made.has(field.name))
  return {
    ...entry,
    primitive: 'pipeline',
    description,
    version,
    actions,
    ...(warnings.length === 0 ? {} : { warnings }),
    input: uniqueByName([...given, ...outside]),
    output: uniqueByName(output),
  }
}

const describeFlow = (catalog: Catalog, name: string): DescribedPrimitive => {
  const known = catalog.flows.all()
  const found = known.find(({ flow }) => flow.name === name || flow.id === name)
  const { flows: broken, files } = catalog.flows.problems()
  const mistake = broken.find((flow) => flow.name === name || flow.id === name)?.error
  if (mistake !== undefined) throw mistake
  if (found === undefined && primitiveOf(name) === 'flow' && files[0] !== undefined) throw files[0]
  if (found === undefined) {
    const names = [
      ...catalog.actions.entries().keys(),
      ...catalog.pipelines.entries().keys(),
      ...known.map(({ flow }) => flow.name),
    ]
    const what = primitiveOf(name) ?? 'action, pipeline or flow'
    throw new StewardError('not_found', { what, name, hint: nearestHint(name, names) })
  }
  const { flow, origin, overrides, file } = found
  const description = flow.description ?? null
  return { name: flow.name, primitive: 'flow', description, origin, overrides, path: file, flow }
}

const describeFields = (spec: FieldsSpecV2): CatalogField[] => {
  const isSchema = spec.type === 'object'
  const fields = isSchema ? spec.properties : spec
  const required = isSchema && Array.isArray(spec.required) ? spec.required : []
  if (!isJsonObject(fields)) return []
  return Object.entries(fields).map(([name, field]) => {
    const known = isJsonObject(field) ? field : {}
    return {
      name,
      type: typeof known.type === 'string' ? known.type : 'any',
      required: known.required === true || required.includes(name),
      description: typeof known.description === 'string' ? known.description : null,
      ...(known.default === undefined ? {} : { default: known.default }),
      ...(Array.isArray(known.enum) ? { enum: known.enum } : {}),
    }
  })
}

const uniqueByName = (fields: readonly CatalogField[]): CatalogField[] =>
  [...new Map(fields.toReversed().map((field) => [field.name, field])).values()].toReversed()
