import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '@steward/contract'
import type { Catalog } from './catalog.ts'

/**
 * The names of all secrets that actions declare. An unreadable manifest declares none; loading it
 * reports why.
 */
export const declaredSecrets = ({ actions }: Pick<Catalog, 'actions'>): string[] => [
  ...new Set(
    [...actions.entries().values()].flatMap(({ path }) => secretsIn(join(path, 'action.json'))),
  ),
]

const secretsIn = (file: string): string[] => {
  const json = parseJson(readFileSync(file, 'utf8'), file)
  if (!json.ok || !isJsonObject(json.value) || !Array.isArray(json.value.secrets)) return []
  return json.value.secrets.flatMap((secret: unknown) => {
    const name = isJsonObject(secret) ? secret.name : secret
    return typeof name === 'string' ? [name] : []
  })
}
