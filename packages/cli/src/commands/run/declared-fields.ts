import { type FieldsSpecV2, isFields } from '@steward/contract'

/** Field names and their declared types, whichever of the two manifest forms was used. */
export const declaredFields = (spec: FieldsSpecV2): Map<string, string> => {
  const fields = spec.type === 'object' ? spec.properties : spec
  if (!isFields(fields)) return new Map()
  return new Map(
    Object.entries(fields).map(([name, field]) => [
      name,
      isFields(field) && typeof field.type === 'string' ? field.type : 'any',
    ]),
  )
}
