import type { Environment } from '../home/environment.ts'
import { decodePercent } from '../text/decode-percent.ts'

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASS|CREDENTIALS)$/i

/**
 * The values of an environment that must never be shown, by name: variables named like a secret,
 * those that manifests declare as one, and the password in any address (`NAME.password`).
 */
export const secretsOf = (
  environment: Environment,
  declaredNames: Iterable<string> = [],
): Record<string, string> => {
  const declared = new Set(declaredNames)
  const secrets: Array<[string, string]> = []
  for (const [name, value] of Object.entries(environment)) {
    if (value === '') continue
    if (declared.has(name) || SECRET_NAME.test(name)) secrets.push([name, value])
    secrets.push(...passwordsIn(name, value))
  }
  return Object.fromEntries(secrets)
}

const passwordsIn = (name: string, value: string): Array<[string, string]> => {
  if (!value.includes('@') || !URL.canParse(value)) return []
  const { password } = new URL(value)
  if (password === '') return []
  const decoded = decodePercent(password)
  const asWritten: [string, string] = [`${name}.password`, password]
  return decoded === password ? [asWritten] : [asWritten, [`${name}.password (decoded)`, decoded]]
}
