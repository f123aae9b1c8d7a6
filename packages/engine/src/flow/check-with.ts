import {
  type Issue,
  type JsonObject,
  nearestHint,
  type PipelineDefinition,
} from '@steward/contract'
import { checkFields } from '../action/check-fields.ts'

/**
 * Mistakes in the fields that a flow gives to its pipeline. A pipeline without `input` takes any
 * field; required ones may also come with the item.
 */
export const checkWith = (
  fields: JsonObject,
  declared: PipelineDefinition['input'],
  at = 'with',
): Issue[] => {
  if (declared === undefined) return []
  const known = Object.keys(declared)
  const { mistakes } = checkFields(declared, fields, 'input')
  return Object.keys(fields).flatMap((field): Issue[] => {
    const path = `${at}.${field}`
    if (!Object.hasOwn(declared, field)) {
      const names = known.length === 0 ? 'none' : known.join(', ')
      const hint = nearestHint(field, known)
      return [{ path, message: `the pipeline has no input ${field}${hint}; declared: ${names}` }]
    }
    return mistakes
      .filter((mistake) => mistake.field === field)
      .map(({ reason }) => ({ path, message: reason.replace(`"${field}" `, '') }))
  })
}
