import {
  actionManifestV2,
  feedList,
  flowIndex,
  pipelineDefinition,
  settings,
} from '@steward/contract'
import { z } from 'zod'

/** The files that people edit, by the name of their schema. */
const SHAPES = {
  action: actionManifestV2,
  pipeline: pipelineDefinition,
  'flow-index': flowIndex,
  feeds: feedList,
  settings,
} as const

/** `schemas/*.schema.json`, as text by path. */
export const renderJsonSchemas = (): Map<string, string> =>
  new Map(
    Object.entries(SHAPES).map(([name, shape]) => [
      `schemas/${name}.schema.json`,
      `${JSON.stringify(toSchema(name, shape), null, 2)}\n`,
    ]),
  )

const toSchema = (name: string, shape: z.ZodType): Record<string, unknown> => {
  // Draft 7, because every editor supports it.
  const { $schema, title, ...body } = z.toJSONSchema(shape, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  })
  return { $schema, $id: `${name}.schema.json`, title, ...body }
}

/** Removes what zod states but every reader assumes. */
const dropNoise = (schema: z.core.JSONSchema.BaseSchema): void => {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames
}
