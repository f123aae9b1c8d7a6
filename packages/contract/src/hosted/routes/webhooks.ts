import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { listOrder, pageOf, pageQuery } from '../page.ts'
import {
  createWebhookBody,
  updateWebhookBody,
  webhookDelivery,
  webhookEndpoint,
} from '../webhook-endpoint.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ webhook_endpoint_id: hostedId })
const ALL = '/v1/organizations/webhooks'
const ITEM = `${ALL}/:webhook_endpoint_id`
const secret = { signing_secret: z.string() }

export const hostedWebhookRoutes = {
  createWebhookEndpoint: defineHostedRoute({
    method: 'POST',
    path: ALL,
    summary: 'Adds a webhook endpoint. Its signing secret is returned once.',
    family: 'webhooks',
    scope: 'admin',
    body: createWebhookBody,
    answer: webhookEndpoint.extend(secret),
  }),
  listWebhookEndpoints: defineHostedRoute({
    method: 'GET',
    path: ALL,
    summary: 'Webhook endpoints.',
    family: 'webhooks',
    scope: 'admin',
    query: z.object({
      limit: pageQuery.limit,
      after_id: hostedId.optional(),
      before_id: hostedId.optional(),
      order: listOrder.default('desc'),
    }),
    answer: z.object({
      data: z.array(webhookEndpoint),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    }),
    errors: ['not_found'],
  }),
  getWebhookEndpoint: defineHostedRoute({
    method: 'GET',
    path: ITEM,
    summary: 'One webhook endpoint.',
    family: 'webhooks',
    scope: 'admin',
    params,
    answer: webhookEndpoint,
    errors: ['not_found'],
  }),
  updateWebhookEndpoint: defineHostedRoute({
    method: 'POST',
    path: ITEM,
    summary: 'Updates a webhook endpoint. Events that occur while it is disabled are never sent.',
    family: 'webhooks',
    scope: 'admin',
    params,
    body: updateWebhookBody,
    answer: webhookEndpoint,
    errors: ['not_found'],
  }),
  deleteWebhookEndpoint: defineHostedRoute({
    method: 'DELETE',
    path: ITEM,
    summary: 'Deletes a webhook endpoint and its deliveries.',
    family: 'webhooks',
    scope: 'admin',
    params,
    answer: z.object({ id: hostedId, type: z.literal('webhook_endpoint_deleted') }),
    errors: ['not_found'],
  }),
  regenerateWebhookSecret: defineHostedRoute({
    method: 'POST',
    path: `${ITEM}/regenerate_signing_secret`,
    summary: 'Replaces the signing secret; the old one is invalid at once.',
    family: 'webhooks',
    scope: 'admin',
    params,
    answer: z.object(secret),
    errors: ['not_found'],
  }),
  listWebhookDeliveries: defineHostedRoute({
    method: 'GET',
    path: '/v1/steward/webhook_deliveries',
    summary: 'Deliveries to webhook endpoints, newest first. Not part of the vendor API.',
    family: 'webhooks',
    scope: 'admin',
    query: z.object({ ...pageQuery, endpoint_id: hostedId.optional() }),
    answer: pageOf(webhookDelivery),
  }),
}
