import { z } from 'zod'
import { hostedId } from '../instant.ts'
import {
  createMemoryStoreBody,
  memoryStore,
  memoryStoreDeleted,
  updateMemoryStoreBody,
} from '../memory.ts'
import { createdRange, includeArchived, pageOf, pageQuery } from '../page.ts'
import { defineHostedRoute } from './hosted-route.ts'

const params = z.object({ memory_store_id: hostedId })

export const hostedMemoryStoreRoutes = {
  createMemoryStore: defineHostedRoute({
    method: 'POST',
    path: '/v1/memory_stores',
    summary: 'Creates a memory store.',
    family: 'memory',
    scope: 'write',
    body: createMemoryStoreBody,
    answer: memoryStore,
  }),
  listMemoryStores: defineHostedRoute({
    method: 'GET',
    path: '/v1/memory_stores',
    summary: 'Memory stores, newest first.',
    family: 'memory',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      include_archived: includeArchived,
      created_at: createdRange,
    }),
    answer: pageOf(memoryStore),
  }),
  getMemoryStore: defineHostedRoute({
    method: 'GET',
    path: '/v1/memory_stores/:memory_store_id',
    summary: 'One memory store.',
    family: 'memory',
    scope: 'read',
    worker: true,
    params,
    answer: memoryStore,
    errors: ['not_found'],
  }),
  updateMemoryStore: defineHostedRoute({
    method: 'POST',
    path: '/v1/memory_stores/:memory_store_id',
    summary: 'Updates the name, description or metadata of a memory store.',
    family: 'memory',
    scope: 'write',
    params,
    body: updateMemoryStoreBody,
    answer: memoryStore,
    errors: ['not_found', 'archived'],
  }),
  archiveMemoryStore: defineHostedRoute({
    method: 'POST',
    path: '/v1/memory_stores/:memory_store_id/archive',
    summary: 'Archives a memory store: its memories can be read and deleted, but not changed.',
    family: 'memory',
    scope: 'write',
    params,
    answer: memoryStore,
    errors: ['not_found'],
  }),
  deleteMemoryStore: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/memory_stores/:memory_store_id',
    summary: 'Deletes a memory store with its memories and their versions.',
    family: 'memory',
    scope: 'write',
    params,
    answer: memoryStoreDeleted,
    errors: ['not_found'],
  }),
}
