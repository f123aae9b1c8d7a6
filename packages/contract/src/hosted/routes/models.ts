import { z } from 'zod'
import { modelInfo } from '../model-info.ts'
import { pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const modelName = z.string().min(1).max(256)

export const hostedModelRoutes = {
  listModels: defineHostedRoute({
    method: 'GET',
    path: '/v1/models',
    summary: 'The models of the configured provider, newest first, and the aliases for them.',
    family: 'models',
    scope: 'read',
    query: z.object({
      limit: pageQuery.limit,
      after_id: modelName.optional(),
      before_id: modelName.optional(),
    }),
    answer: z.object({
      data: z.array(modelInfo),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    }),
    errors: ['not_found'],
  }),
  getModel: defineHostedRoute({
    method: 'GET',
    path: '/v1/models/:model_id',
    summary: 'One model; for an alias, the model that it stands for.',
    family: 'models',
    scope: 'read',
    params: z.object({ model_id: modelName }),
    answer: modelInfo,
    errors: ['not_found'],
  }),
}
