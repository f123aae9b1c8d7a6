import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '@steward/contract'
import type { Catalog } from './catalog.ts'

/**
 * The names of all secrets that actions and flows declare. An unreadable definition declares none;
 * loading it reports why.
 */
export const declaredSecrets = ({ actions, flows }: Catalog): string[] => [
  ...new Set([
    ...[...actions.entries().values()].flatMap(({ path }) => secretsIn(join(path, 'action.json'))),
    ...flows.texts().flatMap(secretsOfFlows),
  ]),
]

const secretsIn = (file: string): string[] => {
  const json = parseJson(readFileSync(file, 'utf8'), file)
  if (!json.ok || !isJsonObject(json.value) || !Array.isArray(json.value.secrets)) return []
  return json.value.secrets.flatMap((secret: unknown) => {
    const name = isJsonObject(secret) ? secret.name : secret
    return typeof name === 'string' ? [name] : []
  })
}

/** Fields of sources and destinations whose value is the name of a secret. */
const NAMING: ReadonlySet<string> = new Set([
  'secret',
  'secrets',
  'password',
  'accessKeyId',
  'secretAccessKey',
])

/** Not checked by the schema, because every command would pay for that. */
const secretsOfFlows = (text: string): string[] => {
  const json = parseJson(text, 'the registry')
  return json.ok ? namesIn(json.value, false) : []
}

const namesIn = (value: unknown, isNamed: boolean): string[] => {
  if (typeof value === 'string') {
    const inHeaders = [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)]
    return isNamed ? [value] : inHeaders.flatMap(([, name]) => name ?? [])
  }
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, isNamed))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, each]) => namesIn(each, NAMING.has(key)))
}
