import type { ObservedEffectName, StewardEvent } from '@steward/contract'

import { isDisposable } from './disposable.ts'
import type { CallEffect, CallReading, Evidence, ReadCall } from './evidence.ts'
import { readLoggedCall } from './read-logged-call.ts'
import { isServiceChange } from './service-changes.ts'

const SUMMARY_CHARS = 200
const DETAIL_CHARS = 2000

/**
 * A `tool_use` row as evidence; undefined for other rows. `number` is its position in the session,
 * `home` the user's home directory.
 */
export const readEvidence = (
  event: StewardEvent,
  number: number,
  readCall: ReadCall,
  home = '',
): Evidence | undefined => {
  if (event.source !== 'tool-activity' || event.type !== 'tool_use') return undefined
  const { subject, ...call } = readLoggedCall(event)
  const { tool, text } = call
  const reading = readCall(call)
  const at = Date.parse(event.timestamp)
  const serviceChange = reading.commands.find(isServiceChange)
  return {
    id: `r${number}`,
    at: Number.isNaN(at) ? undefined : at,
    timestamp: event.timestamp,
    tool,
    ...(typeof event.tool_use_id === 'string' ? { toolUseId: event.tool_use_id } : {}),
    summary: cut(`${tool}: ${oneLine(subject)}`, SUMMARY_CHARS),
    detail: cut(oneLine(text), DETAIL_CHARS),
    effects: withCredentials(reading, tool).map((effect) => ({
      ...effect,
      disposable:
        effect.machine === undefined &&
        isDisposable(effect.target, { inside: effect.inside, home }),
    })),
    guard: reading.guard,
    ...(serviceChange === undefined ? {} : { serviceChange }),
    ...(reading.injection === undefined ? {} : { injection: reading.injection }),
  }
}

/** Also counts secrets that were read and destructive tools of other servers. */
const withCredentials = ({ effects, commands }: CallReading, tool: string): CallEffect[] => {
  const effect = (kind: ObservedEffectName, target: string): CallEffect => ({
    kind,
    target,
    recursive: false,
    inside: false,
  })
  const secrets = effects
    .filter(({ kind, target }) => kind === 'read' && isCredentialPath(target))
    .map(({ target }) => effect('credential', target))
  const printed = commands.filter(isCredentialCommand).map((each) => effect('credential', each))
  const remote = /^mcp__/.test(tool) && DESTRUCTIVE.test(tool) ? [effect('delete', tool)] : []
  return [...effects, ...secrets, ...printed, ...remote]
}

const DESTRUCTIVE = /(delete|destroy|drop|purge|terminate|remove|truncate|wipe)/i

/** Removes invisible characters and those that change the text direction. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Co}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1)}…`

/** Files that contain secrets, wherever they are. */
const CREDENTIAL_PATHS: readonly RegExp[] = [
  /\/\.ssh\/(?!known_hosts|config$|authorized_keys)[^/]*(?<!\.pub)$/,
  /\/\.ssh$/,
  /\/\.(aws|azure|config\/gcloud|kube|gnupg|docker)(\/(credentials|config|config\.json|.*token.*|.*\.db|private-keys[^/]*)?)?$/,
  /\/\.(netrc|pgpass|npmrc|pypirc|git-credentials|vault-token)$/,
  /\/\.env(\.(?!example|sample|template|dist)[^/]*)?$/,
  /\/(id_(rsa|dsa|ecdsa|ed25519)|[^/]+\.(pem|p12|pfx|jks|keystore|kdbx))$/,
  /\/(secrets?|credentials?)(\.(json|ya?ml|toml|txt|env))$/,
  /\/etc\/(shadow|gshadow|sudoers)(\.d\/.*)?$/,
  /\/(Keychains|keyrings)(\/|$)/,
  /\/proc\/[^/]+\/environ$/,
  /\/(Cookies|Login Data|logins\.json|key4\.db)$/,
]

/** Programs that print secrets. */
const CREDENTIAL_COMMANDS: readonly RegExp[] = [
  /^(printenv|env)$/,
  /^security\s+(find|dump)-/,
  /^gh\s+auth\s+token/,
  /^gcloud\s+auth\s+(print|application-default\s+print)/,
  /^aws\s+(secretsmanager\s+get-secret-value|ssm\s+get-parameters?\b.*--with-decryption|configure\s+export-credentials)/,
  /^(op\s+(read|item\s+get)|pass\s+(show\s+)?\S|vault\s+(kv\s+get|read)|bw\s+get)/,
  /^kubectl\s(?:.*\s)?get\s+secrets?\b/s,
  /^git\s+credential\s+fill/,
]

/** No file has a longer path, and some of the forms take more than linear time. */
const LONGEST_PATH = 4096

export const isCredentialPath = (path: string): boolean =>
  CREDENTIAL_PATHS.some((form) => form.test(path.slice(-LONGEST_PATH)))

export const isCredentialCommand = (command: string): boolean =>
  CREDENTIAL_COMMANDS.some((form) => form.test(command.trim()))
