import { actionsIn, describeIssues, type FlowEntry, nearestHint, tierOf } from '@steward/contract'
import { checkLoopGate, type TakenInput, takenBy, undeclaredFields } from '@steward/engine'
import type { EdgeAction, EdgeCatalog, EdgeFlow, Mistake } from './catalog.ts'
import { mistakenPackages } from './debian-packages.ts'
import { planAction } from './plan-action.ts'
import { planDashboard } from './plan-dashboard.ts'
import { calledByFlow, planFlow } from './plan-flow.ts'
import { planInbox } from './plan-inbox.ts'
import { planPipeline } from './plan-pipeline.ts'
import { planRelay } from './plan-relay.ts'
import { readFlowAssets } from './read-flow-assets.ts'
import type { EdgeResources } from './resources.ts'
import type { SkippedPrimitive, WorkerPlan } from './worker-plan.ts'

export interface BuildPlan {
  /**
   * Actions, pipelines, flows, each sorted by name, then those of no primitive: the order of deployment.
   */
  workers: WorkerPlan[]
  skipped: SkippedPrimitive[]
  mistakes: Mistake[]
  /** Allowed, but probably a mistake. */
  doubts: Mistake[]
}

/** Plans all workers from the definitions alone; reports all mistakes, not only the first. */
export const planWorkers = async (
  catalog: EdgeCatalog,
  resources: EdgeResources,
): Promise<BuildPlan> => {
  const plan: BuildPlan = {
    workers: [],
    skipped: [],
    mistakes: [...catalog.unreadable, ...(catalog.unfitting ?? [])],
    doubts: [],
  }
  const manifests = new Map(catalog.actions.map(({ manifest }) => [manifest.name, manifest]))
  const known = new Set([
    ...catalog.actions.map(({ manifest }) => manifest.name),
    ...catalog.pipelines.map(({ name }) => name),
    ...catalog.unreadable.map(({ subject }) => subject),
  ])
  const unfitting = new Set(catalog.unfitting?.map(({ subject }) => subject))
  const checkCalled = (subject: string, called: readonly string[]) => {
    const missing = [...new Set(called)].filter((name) => !known.has(name))
    for (const name of missing) {
      const reason = `calls ${name}, which does not exist${nearestHint(name, known)}`
      plan.mistakes.push({ subject, reason })
    }
    return missing.length === 0
  }
  /** Names of definitions that only run on the person's machine. */
  const local = new Set<string>()
  const skipIfLocal = (name: string, called: readonly string[]): boolean => {
    const found = called.find((each) => local.has(each))
    if (found === undefined) return false
    plan.skipped.push({ name, reason: `it calls ${found}, which runs on your machine only` })
    local.add(name)
    return true
  }
  const checkLoop = ({ name, pipeline, loop }: FlowEntry) => {
    const definition = catalog.pipelines.find((each) => each.name === pipeline)
    const steps = actionsIn(definition?.actions ?? [])
    const outputs = catalog.actions
      .filter(({ manifest }) => steps.includes(manifest.name))
      .map(({ manifest }) => manifest.output)
    // While an action is missing, that is the mistake to report.
    const isComplete = new Set(steps).size === outputs.length && outputs.length > 0
    const issues = loop === undefined || !isComplete ? [] : checkLoopGate(loop, outputs)
    if (issues.length > 0) plan.mistakes.push({ subject: name, reason: describeIssues(issues) })
    return issues.length === 0
  }
  for (const action of sortBy(catalog.actions, ({ manifest }) => manifest.name)) {
    const { manifest } = action
    const stays = reasonToStay(action)
    if (stays !== undefined) {
      plan.skipped.push({ name: manifest.name, reason: stays })
      local.add(manifest.name)
      continue
    }
    const reason = tierOf(manifest) === 'sandbox' ? mistakenPackages(manifest) : undefined
    if (reason === undefined) plan.workers.push(planAction(action, resources))
    else plan.mistakes.push({ subject: manifest.name, reason })
  }
  for (const definition of sortBy(catalog.pipelines, ({ name }) => name)) {
    if (unfitting.has(definition.name)) continue
    const names = actionsIn(definition.actions)
    if (skipIfLocal(definition.name, names)) continue
    const isCallable = checkCalled(definition.name, names)
    const called = catalog.actions.filter(({ manifest }) => names.includes(manifest.name))
    const issues = undeclaredFields(
      definition,
      (name) => called.find(({ manifest }) => manifest.name === name)?.manifest,
    )
    if (issues.length > 0) {
      plan.mistakes.push({ subject: definition.name, reason: describeIssues(issues) })
    }
    if (isCallable && issues.length === 0)
      plan.workers.push(planPipeline(definition, called, resources))
  }
  for (const flow of sortBy(catalog.flows, ({ entry }) => entry.name)) {
    const { entry } = flow
    const isUnfitting = unfitting.has(entry.name)
    const called = calledByFlow(isUnfitting ? { ...entry, pipeline: undefined } : entry)
    if (skipIfLocal(entry.name, called)) continue
    const isCallable = checkCalled(entry.name, called)
    const fits = !isUnfitting && checkLoop(entry)
    const pipeline = catalog.pipelines.find((each) => each.name === entry.pipeline)
    const takes = pipeline && takenBy(pipeline, (action) => manifests.get(action))
    await addFlow(plan, flow, resources, isCallable && fits, takes)
  }
  const dashboard = planDashboard(resources)
  const entries = catalog.flows
    .map(({ entry }) => entry)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const relay = await planRelay(resources)
  for (const other of [dashboard, planInbox(entries, resources), relay]) {
    if (other !== undefined) plan.workers.push(other)
  }
  return plan
}

const reasonToStay = ({ isProgram, manifest }: EdgeAction): string | undefined => {
  if (isProgram) return 'it is a program, which runs on your machine only'
  if (manifest.requires.includes('hostedAgent'))
    return 'it waits for a hosted agent of your machine; use steward trigger, or runsOn: here'
  return manifest.requires.includes('assistant')
    ? 'it runs an assistant, which works on your machine only; use steward trigger, or runsOn: here'
    : undefined
}

const addFlow = async (
  plan: BuildPlan,
  flow: EdgeFlow,
  resources: EdgeResources,
  callable: boolean,
  takes: TakenInput | undefined,
): Promise<void> => {
  const { name } = flow.entry
  const read = await readFlowAssets(flow)
  if (read.kind === 'skip') plan.skipped.push({ name, reason: read.reason })
  else if (read.kind === 'mistake') plan.mistakes.push({ subject: name, reason: read.reason })
  else if (callable) {
    const assets = { ...read.assets, ...(takes === undefined ? {} : { takes }) }
    plan.workers.push(planFlow(flow.entry, assets, resources))
  }
  if (read.kind === 'assets' && read.assets.feeds?.length === 0) {
    plan.doubts.push({ subject: name, reason: 'it has no feeds yet: list some in feeds.json' })
  }
}

const sortBy = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] =>
  items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
