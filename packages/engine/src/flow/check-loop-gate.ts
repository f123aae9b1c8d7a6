import {
  type FieldsSpecV2,
  type Issue,
  isJsonObject,
  type LoopGate,
  nearestHint,
} from '@steward/contract'

/**
 * The mistake in a loop gate, given the output that the pipeline's actions declare. A gate on a
 * field that no action declares would run to its cap for every item and pay for each iteration.
 */
export const checkLoopGate = (
  { field, value }: LoopGate,
  outputs: readonly FieldsSpecV2[],
): Issue[] => {
  const declared = outputs.map(declaredTypes)
  // An action that does not list its fields may return any.
  if (declared.includes(undefined)) return []
  const types = new Map(declared.flatMap((map) => [...(map ?? [])]))
  const names = [...types.keys()]
  if (!types.has(field)) {
    const known = names.length === 0 ? 'none' : names.join(', ')
    const message = `no action of the pipeline declares ${field} as output${nearestHint(field, names)}; declared: ${known}`
    return [{ path: 'loop.field', message }]
  }
  const type = types.get(field)
  if (type === undefined || TYPES[typeof value]?.includes(type) !== false) return []
  const message = `${JSON.stringify(value)} never matches ${field}, which is declared as ${type}`
  return [{ path: 'loop.value', message }]
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  number: ['number', 'integer'],
  string: ['string'],
  boolean: ['boolean'],
}

/** The declared fields with their types; undefined if the declaration leaves them open. */
const declaredTypes = (spec: FieldsSpecV2): Map<string, string | undefined> | undefined => {
  const isSchema = spec.type === 'object'
  const fields = isSchema ? spec.properties : spec
  if (!isJsonObject(fields)) return undefined
  return new Map(
    Object.entries(fields).map(([name, field]) => {
      const type = isJsonObject(field) ? field.type : undefined
      return [name, typeof type === 'string' ? type : undefined]
    }),
  )
}
