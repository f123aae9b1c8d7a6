import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  describeIssuesAt,
  type FlowEntry,
  lineInJson,
  primitiveOf,
  StewardError,
} from '@steward/contract'
import { lineInYaml } from '@steward/contract/yaml'
import { parseFlowIndex, parsePipelineYaml } from '@steward/engine'
import { type Home, writeFileAtomically } from '@steward/platform'
import { actionIssues, type Catalog, checkActionIn, flowIssues } from '../catalog/index.ts'
import { replaceFlow } from './flow-registry.ts'
import { formatJson } from './format-json.ts'

/** The text of a flow or pipeline, for people to edit. */
export interface Definition {
  name: string
  primitive: 'flow' | 'pipeline'
  language: 'json' | 'yaml'
  origin: 'user' | 'built-in'
  text: string
}

export const readDefinition = async (catalog: Catalog, name: string): Promise<Definition> => {
  if (primitiveOf(name) === 'flow') {
    const { flow, origin } = catalog.flows.load(name)
    return { name, primitive: 'flow', language: 'json', origin, text: formatJson(flow) }
  }
  const { entry } = catalog.pipelines.load(name)
  const { path, origin } = entry
  if (!/\.ya?ml$/.test(path)) {
    throw new StewardError('invalid_input', {
      subject: name,
      reason: 'it is written in Markdown: edit its PIPELINE.md in an editor',
    })
  }
  return {
    ...{ name, primitive: 'pipeline', language: 'yaml', origin },
    text: await readFile(path, 'utf8'),
  }
}

/** Every mistake in a draft, in one sentence with lines; undefined if there is none. */
export const findMistake = (catalog: Catalog, name: string, text: string): string | undefined => {
  try {
    if (primitiveOf(name) === 'flow') readFlowDraft(catalog, name, text)
    else readPipelineDraft(catalog, name, text)
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof StewardError)) throw thrown
    return String(thrown.details.reason ?? thrown.message)
  }
}

/** A flow as it would be with this text. */
export const readFlowDraft = (
  { pipelines, actions }: Catalog,
  name: string,
  text: string,
): FlowEntry => {
  // On the first line of a registry, so that lines are those of the text.
  const { flows, error } = parseFlowIndex(`{"flows": [${text}]}`, name, (flow) =>
    flowIssues(flow, pipelines, actions),
  )
  const [read] = flows
  if (error !== undefined) throw error
  if (read === undefined || flows.length > 1) throw wrong(name, 'must be one JSON object')
  if ('error' in read) {
    const reason = String(read.error.details.reason).replaceAll(/flows\[0\]\.?/g, '')
    throw wrong(name, reason)
  }
  if (read.entry.name !== name) throw wrong(name, `name: must stay ${name}`)
  const issues = flowIssues(read.entry, pipelines, actions)
  if (issues.length > 0) throw wrong(name, describeIssuesAt(issues, lineInJson(text)))
  return read.entry
}

const readPipelineDraft = ({ actions }: Catalog, name: string, text: string): void => {
  const parsed = parsePipelineYaml(text, name)
  if (!parsed.ok) {
    const again = parsePipelineYaml(text, name, checkActionIn(actions))
    throw again.ok ? parsed.error : again.error
  }
  const { definition } = parsed.value
  if (definition.name !== name) throw wrong(name, `name: must stay ${name}`)
  const issues = actionIssues(definition, actions)
  if (issues.length > 0) throw wrong(name, describeIssuesAt(issues, lineInYaml(text)))
}

/** Writes a checked definition into the person's folder; a built-in one is overridden there. */
export const saveDefinition = async (
  home: Home,
  catalog: Catalog,
  name: string,
  text: string,
): Promise<void> => {
  const reason = findMistake(catalog, name, text)
  if (reason !== undefined) throw wrong(name, reason)
  if (primitiveOf(name) === 'flow') {
    await replaceFlow(home, readFlowDraft(catalog, name, text))
    return
  }
  const { entry } = catalog.pipelines.load(name)
  const own = join(home.user.pipelines, `${name}.yaml`)
  await writeFileAtomically(entry.origin === 'user' ? entry.path : own, text)
}

const wrong = (subject: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject, reason })
