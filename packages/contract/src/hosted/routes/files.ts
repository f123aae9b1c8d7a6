import { z } from 'zod'
import { fileDeleted, hostedFile } from '../file.ts'
import { HOSTED_LIMITS } from '../hosted-limits.ts'
import { hostedId } from '../instant.ts'
import { filePageOf, pageQuery } from '../page.ts'
import { defineHostedRoute, queryList } from './hosted-route.ts'

const params = z.object({ file_id: hostedId })

const listQuery = z
  .object({
    limit: pageQuery.limit.removeDefault().optional(),
    page: pageQuery.page,
    ids: queryList(hostedId),
    /** Only outputs of this session. */
    scope_id: hostedId.optional(),
    /** Paging parameters of clients before 0.137. */
    after_id: hostedId.optional(),
    before_id: hostedId.optional(),
  })
  .refine(({ ids }) => new Set(ids).size <= HOSTED_LIMITS.fileIdsPerList, {
    path: ['ids'],
    message: `at most ${HOSTED_LIMITS.fileIdsPerList} ids`,
  })
  .refine(({ ids, page, limit }) => !ids || (page === undefined && limit === undefined), {
    path: ['ids'],
    message: 'goes without page and limit',
  })

export const hostedFileRoutes = {
  uploadFile: defineHostedRoute({
    method: 'POST',
    path: '/v1/files',
    summary: 'Uploads a file (multipart form, field `file`).',
    family: 'files',
    scope: 'write',
    form: z.object({
      expires_in_seconds: z.coerce
        .number()
        .int()
        .min(HOSTED_LIMITS.fileExpiryMinSeconds)
        .max(HOSTED_LIMITS.fileExpiryMaxSeconds)
        .optional(),
    }),
    answer: hostedFile,
    errors: ['payload_too_large'],
  }),
  listFiles: defineHostedRoute({
    method: 'GET',
    path: '/v1/files',
    summary: 'Files, newest first.',
    family: 'files',
    scope: 'read',
    query: listQuery,
    answer: filePageOf(hostedFile),
  }),
  getFile: defineHostedRoute({
    method: 'GET',
    path: '/v1/files/:file_id',
    summary: 'Metadata of a file.',
    family: 'files',
    scope: 'read',
    params,
    answer: hostedFile,
    errors: ['not_found'],
  }),
  downloadFile: defineHostedRoute({
    method: 'GET',
    path: '/v1/files/:file_id/content',
    summary: 'Content of a file.',
    family: 'files',
    scope: 'read',
    params,
    answer: 'bytes',
    errors: ['not_found'],
  }),
  deleteFile: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/files/:file_id',
    summary: 'Deletes a file.',
    family: 'files',
    scope: 'write',
    params,
    answer: fileDeleted,
    errors: ['not_found'],
  }),
}
