import {
  listNamedAliases,
  MODEL_LINES,
  type ModelAliases,
  type ModelInfo,
  resolveModelAlias,
} from '@steward/contract'
import type { ServedModel } from '@steward/models'
import { toInstant } from '../database/instant.ts'

/** The models that agents of this server may name. */
export interface ModelList {
  /** Newest first; aliases follow the models. */
  list(): Promise<readonly ModelInfo[]>
  /** The model that a name stands for; undefined if the provider does not list it. */
  find(name: string): Promise<ModelInfo | undefined>
}

interface ModelListPorts {
  /** Asks the provider. */
  list: () => Promise<readonly ServedModel[]>
  aliases: ModelAliases
  now: () => number
}

/** How long the provider's list is reused. */
const KEPT_MS = 60_000

export const createModelList = ({ list, aliases, now }: ModelListPorts): ModelList => {
  let kept: { atMs: number; models: Promise<readonly ModelInfo[]> } | undefined
  const served = (): Promise<readonly ModelInfo[]> => {
    if (kept !== undefined && now() - kept.atMs < KEPT_MS) return kept.models
    const models = list().then((each) =>
      each.map(toModelInfo).toSorted((one, other) => newestFirst(one, other)),
    )
    kept = { atMs: now(), models }
    return models
  }
  return {
    list: async () => {
      const models = await served()
      const known = new Set(models.map(({ id }) => id))
      const others = listNamedAliases(aliases).filter(([alias]) => !known.has(alias))
      return [
        ...models,
        ...others.map(([alias, id]) => ({
          ...(models.find((model) => model.id === id) ?? toModelInfo({ id })),
          id: alias,
          display_name: `${alias} (runs on ${id})`,
        })),
      ]
    },
    find: async (name) => {
      const id = resolveModelAlias(aliases, name)
      return (await served()).find((model) => model.id === id)
    },
  }
}

const newestFirst = (one: ModelInfo, other: ModelInfo): number =>
  other.created_at.localeCompare(one.created_at) || one.id.localeCompare(other.id)

const toModelInfo = (model: ServedModel): ModelInfo => ({
  id: model.id,
  type: 'model',
  display_name: model.displayName ?? model.id,
  created_at: toInstant(model.createdMs ?? 0),
  capabilities: null,
  max_input_tokens: model.maxInputTokens ?? null,
  max_tokens: model.maxTokens ?? null,
  line: MODEL_LINES.find((line) => model.id.startsWith(`claude-${line}-`)) ?? null,
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
  allowed_fallback_models: null,
})
