import { z } from 'zod'
import { HOSTED_LIMITS } from '../hosted-limits.ts'
import { hostedId } from '../instant.ts'
import {
  contentHash,
  createMemoryBody,
  MEMORY_OPERATIONS,
  memory,
  memoryDeleted,
  memoryListItem,
  memoryVersion,
  updateMemoryBody,
} from '../memory.ts'
import { createdRange, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const ofStore = z.object({ memory_store_id: hostedId })
const params = z.object({ memory_store_id: hostedId, memory_id: hostedId })
const versionParams = z.object({ memory_store_id: hostedId, memory_version_id: hostedId })
/** Whether answers include contents. */
const view = z.enum(['basic', 'full'])
const VERSIONS = '/v1/memory_stores/:memory_store_id/memory_versions'

export const hostedMemoryRoutes = {
  createMemory: defineHostedRoute({
    method: 'POST',
    path: '/v1/memory_stores/:memory_store_id/memories',
    summary: 'Creates a memory at a path that no other memory uses.',
    family: 'memory',
    scope: 'write',
    worker: true,
    params: ofStore,
    query: z.object({ view: view.default('basic') }),
    body: createMemoryBody,
    answer: memory,
    errors: ['not_found', 'archived', 'memory_path_conflict'],
  }),
  listMemories: defineHostedRoute({
    method: 'GET',
    path: '/v1/memory_stores/:memory_store_id/memories',
    summary: 'The memories of a store by path, or those of one folder.',
    family: 'memory',
    scope: 'read',
    worker: true,
    params: ofStore,
    query: z.object({
      ...pageQuery,
      /** How many levels to list; 0 lists all, deeper memories become `memory_prefix` items. */
      depth: z.coerce.number().int().min(0).max(HOSTED_LIMITS.memoryPathSegments).default(0),
      path_prefix: z
        .string()
        .max(HOSTED_LIMITS.memoryPathBytes + 1)
        .regex(/^\/(.*\/)?$/s, 'begins and ends with /')
        .optional(),
      view: view.default('basic'),
    }),
    answer: pageOf(memoryListItem),
    errors: ['not_found'],
  }),
  getMemory: defineHostedRoute({
    method: 'GET',
    path: '/v1/memory_stores/:memory_store_id/memories/:memory_id',
    summary: 'One memory.',
    family: 'memory',
    scope: 'read',
    worker: true,
    params,
    query: z.object({ view: view.default('full') }),
    answer: memory,
    errors: ['not_found'],
  }),
  updateMemory: defineHostedRoute({
    method: 'POST',
    path: '/v1/memory_stores/:memory_store_id/memories/:memory_id',
    summary: 'Changes the content or the path of a memory; a change adds a version.',
    family: 'memory',
    scope: 'write',
    worker: true,
    params,
    query: z.object({ view: view.default('basic') }),
    body: updateMemoryBody,
    answer: memory,
    errors: ['not_found', 'archived', 'memory_path_conflict', 'memory_precondition_failed'],
  }),
  deleteMemory: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/memory_stores/:memory_store_id/memories/:memory_id',
    summary: 'Deletes a memory; its versions stay.',
    family: 'memory',
    scope: 'write',
    worker: true,
    params,
    query: z.object({ expected_content_sha256: contentHash.optional() }),
    answer: memoryDeleted,
    errors: ['not_found', 'memory_precondition_failed'],
  }),
  listMemoryVersions: defineHostedRoute({
    method: 'GET',
    path: VERSIONS,
    summary: 'The changes of a store, newest first.',
    family: 'memory',
    scope: 'read',
    params: ofStore,
    query: z.object({
      ...pageQuery,
      memory_id: hostedId.optional(),
      operation: z.enum(MEMORY_OPERATIONS).optional(),
      api_key_id: hostedId.optional(),
      session_id: hostedId.optional(),
      service_account_id: hostedId.optional(),
      created_at: createdRange,
      view: view.default('basic'),
    }),
    answer: pageOf(memoryVersion),
    errors: ['not_found'],
  }),
  getMemoryVersion: defineHostedRoute({
    method: 'GET',
    path: `${VERSIONS}/:memory_version_id`,
    summary: 'One change of a memory.',
    family: 'memory',
    scope: 'read',
    params: versionParams,
    query: z.object({ view: view.default('full') }),
    answer: memoryVersion,
    errors: ['not_found'],
  }),
  redactMemoryVersion: defineHostedRoute({
    method: 'POST',
    path: `${VERSIONS}/:memory_version_id/redact`,
    summary: 'Erases content and path of a past version.',
    family: 'memory',
    scope: 'write',
    params: versionParams,
    answer: memoryVersion,
    errors: ['not_found'],
  }),
}
