import { type ResourceGiven, resolveMountPath, type SessionResource } from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { createId } from '../ids/create-id.ts'
import type { StoredResource } from '../log/session-body.ts'
import type { Seal } from '../vaults/seal.ts'

/** A resource as stored; a repository's token is sealed for the hands. */
export const makeResource = (
  given: Exclude<ResourceGiven, { type: 'memory_store' }>,
  seal: Seal,
  nowMs: number,
): StoredResource => {
  const at = new Date(nowMs).toISOString()
  const kept = { id: createId('sesrsc'), created_at: at, updated_at: at }
  if (given.type === 'file') {
    const mount_path = resolveMountPath('file', given.mount_path ?? given.file_id)
    return {
      resource: { ...kept, type: 'file', file_id: given.file_id, mount_path },
      sealed_token: null,
    }
  }
  const resource: SessionResource = {
    ...kept,
    type: 'github_repository',
    url: withoutPassword(given.url),
    mount_path: resolveMountPath(given.type, given.mount_path ?? repositoryName(given.url)),
    checkout: given.checkout ?? null,
  }
  const token = given.authorization_token
  return { resource, sealed_token: token === undefined ? null : sealToken(seal, kept.id, token) }
}

/** Refuses a resource whose path another resource of the session has. */
export const refuseSharedPath = (
  others: readonly StoredResource[],
  { resource: { mount_path } }: StoredResource,
): void => {
  if (others.some(({ resource }) => resource.mount_path === mount_path))
    throw invalid('mount_path', `another resource is mounted at ${mount_path}`)
}

/** Seals a repository's token. `openToken` is the inverse. */
export const sealToken = (seal: Seal, resourceId: string, token: string): string =>
  Buffer.from(seal.close(token, resourceId)).toString('base64')

/** The token of a repository, only for cloning; `undefined` if it has none. */
export const openToken = (
  seal: Seal,
  { resource, sealed_token }: StoredResource,
): string | undefined =>
  sealed_token === null ? undefined : seal.open(Buffer.from(sealed_token, 'base64'), resource.id)

const repositoryName = (url: string): string => {
  const last = new URL(url).pathname.split('/').filter(Boolean).at(-1) ?? ''
  const name = decodeURIComponentSafely(last)
    .replace(/\.git$/, '')
    .replace(/[^\w.-]/g, '-')
  return /^\.*$/.test(name) ? 'repository' : name
}

const decodeURIComponentSafely = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An address may contain a login, which would be visible wherever the resource is shown. */
const withoutPassword = (url: string): string => {
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}
