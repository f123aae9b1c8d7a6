import type { CatalogView, RunRecord, SecurityOverview, SettingsView } from '@steward/contract'
import { daemon } from '../live/daemon.ts'
import { whenSignedIn } from '../live/when-signed-in.ts'
import { readGroups } from '../pages/security/rule-groups.ts'
import { hrefOfRule } from '../pages/security/verdicts.ts'
import { listSettings } from '../pages/settings/list-settings.ts'
import type { Command } from '../shell/commands.svelte.ts'
import { goCommand } from '../shell/go-command.ts'
import { assistantOf, titleOf } from '../ui/describe-session.ts'
import { formatMoment } from '../ui/format.ts'
import { hrefOfSession } from '../ui/href-of-session.ts'

const MOST_SESSIONS = 6
const MOST_NOTES = 8
const MOST_RUNS = 100

/** Flows, pipelines, actions, runs, rules and settings: few enough to search here. */
export const loadThings = async (): Promise<Command[]> => {
  const [catalog, runs, security, settings] = await Promise.allSettled([
    daemon.call('listPrimitives'),
    daemon.call('listRuns', { query: { limit: MOST_RUNS } }),
    daemon.call('getSecurity'),
    whenSignedIn(() => daemon.call('getSettings')),
  ])
  return [
    ...(catalog.status === 'fulfilled' ? entriesOf(catalog.value) : []),
    ...(runs.status === 'fulfilled' ? runs.value.runs.map(commandOfRun) : []),
    ...(security.status === 'fulfilled' ? rulesOf(security.value) : []),
    ...(settings.status === 'fulfilled' && settings.value !== undefined
      ? settingsOf(settings.value)
      : []),
  ]
}

/** Sessions, notes and documents: the daemon searches all of them. */
export const searchThings = async (typed: string): Promise<Command[]> => {
  const [sessions, pages] = await Promise.allSettled([
    daemon.call('listSessions', { query: { q: typed, limit: MOST_SESSIONS } }),
    daemon.call('searchWiki', { query: { q: typed, limit: MOST_NOTES } }),
  ])
  return [
    ...(sessions.status === 'fulfilled' ? sessions.value.sessions : []).map((session) =>
      goCommand({
        id: `session ${session.id}`,
        title: titleOf(session),
        kind: `Session, ${assistantOf(session)}`,
        href: hrefOfSession(session),
      }),
    ),
    ...(pages.status === 'fulfilled' ? pages.value.results : []).map(({ id, title, address }) =>
      goCommand({
        id: `page ${id}`,
        title,
        kind: address.startsWith('/knowledge/') ? 'Note' : 'Library',
        href: address,
      }),
    ),
  ]
}

const KINDS = { flows: 'Flow', pipelines: 'Pipeline', actions: 'Action' } as const

const entriesOf = (catalog: CatalogView): Command[] =>
  (['flows', 'pipelines', 'actions'] as const).flatMap((kind) =>
    catalog[kind].map(({ name, description }) =>
      goCommand({
        id: `entry ${name}`,
        title: name,
        words: `${description ?? ''} run now`,
        kind: KINDS[kind],
        href: `/flows/${encodeURIComponent(name)}`,
      }),
    ),
  )

const commandOfRun = ({ id, name, status, startedAt, error }: RunRecord): Command =>
  goCommand({
    id: `run ${id}`,
    title: `Run of ${name}`,
    words: `${status} ${error?.message ?? ''} rerun retry ${id}`,
    kind: `${status}, ${formatMoment(Date.parse(startedAt), Date.now())}`,
    href: `/flows/runs/${encodeURIComponent(id)}`,
  })

const rulesOf = (overview: SecurityOverview): Command[] =>
  readGroups(overview).flatMap(({ title, entries }) =>
    entries.map(({ rule, text, reason }) =>
      goCommand({
        isSentence: true,
        id: `rule ${rule}`,
        title: reason === '' ? text : reason,
        words: `${text} ${title} rule security`,
        kind: `Rule, ${title}`,
        href: hrefOfRule(rule),
      }),
    ),
  )

const settingsOf = ({ schema }: SettingsView): Command[] =>
  listSettings(schema).flatMap((section) =>
    section.fields.map(({ path, title }) =>
      goCommand({
        id: `setting ${path.join('.')}`,
        title: `${section.title}: ${title}`,
        words: `${path.join('.')} settings change`,
        kind: 'Setting',
        href: `/settings?find=${encodeURIComponent(path.join('.'))}`,
      }),
    ),
  )
