export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectIn = (value: unknown): Json => (isObject(value) ? value : {})

/** Words that are not written in lower case. */
const NAMES: Readonly<Record<string, string>> = {
  cpus: 'CPUs',
  elevenlabs: 'ElevenLabs',
  id: 'ID',
  kv: 'KV',
  mb: 'MB',
  mcp: 'MCP',
  npm: 'npm',
  openai: 'OpenAI',
  pip: 'pip',
  smtp: 'SMTP',
  url: 'URL',
  usd: 'USD',
  webpush: 'Web push',
}

/** `longTaskMinutes` as `Long task minutes`, `base_url` as `Base URL`. */
export const inWords = (key: string): string =>
  key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/)
    .map((word, at) => NAMES[word] ?? (at === 0 ? capitalise(word) : word))
    .join(' ')

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const resolve = (root: Json, schema: Json): Json => {
  if (typeof schema.$ref !== 'string') return schema
  const target = schema.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((each, key) => (isObject(each) ? each[key] : undefined), root)
  return isObject(target) ? target : schema
}
