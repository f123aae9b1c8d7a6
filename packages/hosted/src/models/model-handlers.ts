import { HOSTED_API, type ModelInfo } from '@steward/contract'
import { type Handler, opens } from '../api/handler.ts'
import { notFound } from '../api/refusal.ts'
import type { ModelList } from './model-list.ts'

export const createModelHandlers = (models: ModelList): readonly Handler[] => [
  opens(HOSTED_API.listModels, async ({ query }) => pageOf(await models.list(), query)),
  opens(HOSTED_API.getModel, async ({ params }) => {
    const model = await models.find(params.model_id)
    if (model === undefined) throw notFound('model', params.model_id)
    return model
  }),
]

interface ModelRequest {
  limit: number
  after_id?: string | undefined
  before_id?: string | undefined
}

const pageOf = (models: readonly ModelInfo[], { limit, after_id, before_id }: ModelRequest) => {
  const place = (id: string): number => {
    const index = models.findIndex((model) => model.id === id)
    if (index === -1) throw notFound('model', id)
    return index
  }
  const end = before_id === undefined ? models.length : place(before_id)
  const from = after_id === undefined ? 0 : place(after_id) + 1
  const isBack = after_id === undefined && before_id !== undefined
  const start = isBack ? Math.max(from, end - limit) : from
  const data = models.slice(start, Math.min(end, start + limit))
  return {
    data,
    has_more: isBack ? start > 0 : start + data.length < end,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
