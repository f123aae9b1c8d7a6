import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Intent, parseObserverPolicy } from '@steward/agents'
import {
  type ObserverPolicy,
  observerPolicy,
  reasonOf,
  StewardError,
  unwrap,
} from '@steward/contract'
import { type EntryView, type Home, readWorkState, sessionsOf } from '@steward/platform'

/** The permissions and purpose of a session, from the policy file and the work state. */
export interface Purpose {
  policy: ObserverPolicy
  entry?: EntryView
  intent?: Intent
}

export const readPurpose = async (
  { home, cwd }: { home: Home; cwd: string },
  session: string,
  policyFile: string | undefined,
): Promise<Purpose> => {
  const policy = await readPolicy(cwd, policyFile)
  const entry = await findEntry(home, session)
  const said = entry?.intent ?? entry?.task
  return {
    policy,
    ...(entry === undefined ? {} : { entry }),
    ...(policy.intent !== undefined
      ? { intent: { text: policy.intent, source: 'policy' as const } }
      : said !== undefined
        ? { intent: { text: said, source: 'work state' as const } }
        : {}),
  }
}

const readPolicy = async (cwd: string, file: string | undefined): Promise<ObserverPolicy> => {
  if (file === undefined) return observerPolicy.parse({})
  const path = resolve(cwd, file)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (thrown) {
    const reason = `it cannot be read: ${reasonOf(thrown)}`
    throw new StewardError('invalid_input', { subject: `--policy ${file}`, reason }, thrown)
  }
  const parsed = unwrap(parseObserverPolicy(text, file))
  return parsed
}

/** The session's newest entry; undefined without a work state. */
const findEntry = async (home: Home, session: string): Promise<EntryView | undefined> => {
  const state = await readWorkState(home)
  if (!state.ok) {
    if (state.error.code === 'work_state_missing') return undefined
    throw state.error
  }
  return sessionsOf(state.value)
    .filter(({ slug, view }) => view.sessionUUID === session || slug === session)
    .map(({ view }) => view)
    .toSorted((a, b) => (b.updatedMs ?? 0) - (a.updatedMs ?? 0))[0]
}
