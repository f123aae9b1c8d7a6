import { actionsIn, type FieldsSpecV2, isJsonObject, primitiveOf } from '@steward/contract'
import type { Catalog } from '@steward/runner'

/**
 * The fields that an action takes, or a pipeline and any of its actions; the first declaration
 * decides the type.
 */
export const declaredByName = async (
  catalog: Catalog,
  name: string,
): Promise<Map<string, string>> => {
  const pipeline =
    primitiveOf(name) === 'pipeline' ? catalog.pipelines.load(name).definition : undefined
  const names = pipeline === undefined ? [name] : actionsIn(pipeline.actions)
  const declared = declaredFields(pipeline?.input ?? {})
  if (primitiveOf(name) === 'flow' || primitiveOf(name) === undefined) return declared
  const loaded = await Promise.allSettled(names.map((action) => catalog.actions.load(action)))
  for (const result of loaded) {
    // The runner reports actions that do not load.
    if (result.status === 'rejected') continue
    for (const [field, type] of declaredFields(result.value.manifest.input)) {
      if (!declared.has(field)) declared.set(field, type)
    }
  }
  return declared
}

/** Field names and their declared types, for both manifest forms. */
const declaredFields = (spec: FieldsSpecV2): Map<string, string> => {
  const fields = spec.type === 'object' ? spec.properties : spec
  if (!isJsonObject(fields)) return new Map()
  return new Map(
    Object.entries(fields).map(([name, field]) => [
      name,
      isJsonObject(field) && typeof field.type === 'string' ? field.type : 'any',
    ]),
  )
}
