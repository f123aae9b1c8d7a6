import { posix } from 'node:path'
import type { CallEffect, CallReading, LoggedCall, ReadCall } from '@steward/agents'
import type { ObservedEffectName } from '@steward/contract'
import { type Effect, inspectPrompt, type Policy, readShell, showMarked } from '@steward/policy'
import { commandOf, judgeLoggedCall } from './judge-logged-call.ts'

/** Interprets logged tool calls as the guards do, by their effects. */
export const createReadCall =
  (policy: Policy): ReadCall =>
  (call) => {
    const { cwd, text } = call
    const command = commandOf(call)
    const environment = { HOME: policy.home }
    const shell =
      command === undefined
        ? undefined
        : readShell(command, { cwd, home: policy.home, environment })
    const shellEffects = shell?.effects ?? []
    const injection = findInjection(text)
    return {
      effects: [
        ...shellEffects.flatMap((effect) => effectOf(effect, { cwd, home: policy.home })),
        ...fileEffects(call, policy.home),
      ],
      commands: shellEffects.flatMap((each) => (each.kind === 'run' ? [each.argv.join(' ')] : [])),
      guard: judgeLoggedCall(call, policy),
      ...(injection === undefined ? {} : { injection }),
    }
  }

const effectOf = (effect: Effect, place: { cwd: string; home: string }): CallEffect[] => {
  switch (effect.kind) {
    case 'read':
    case 'write':
    case 'delete': {
      if (effect.mention && effect.kind !== 'read') return []
      const path = showMarked(effect.path)
      const { kind, recursive, machine } = effect
      if (machine === undefined) return [pathEffect(kind, path, place.cwd, recursive)]
      const target = `${machine}:${pathElsewhere(path, place)}`
      return [{ kind, target, recursive, inside: false, machine }]
    }
    case 'network':
      return [elsewhere(effect.sends ? 'send' : 'network', showMarked(effect.target))]
    case 'privilege':
      return [elsewhere('privilege', effect.program)]
    default:
      return []
  }
}

/** Another machine has its own home and working directory. */
const pathElsewhere = (path: string, { cwd, home }: { cwd: string; home: string }): string => {
  if (cwd !== '/' && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1)
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

/** The access of tools to their file argument. */
const FILE_TOOLS: Readonly<Record<string, 'read' | 'write' | 'delete'>> = {
  Read: 'read',
  NotebookRead: 'read',
  Write: 'write',
  Edit: 'write',
  MultiEdit: 'write',
  NotebookEdit: 'write',
  Delete: 'delete',
  delete_file: 'delete',
}

const fileEffects = ({ tool, input, cwd }: LoggedCall, home: string): CallEffect[] => {
  if (tool === 'apply_patch') return patchEffects(input, cwd)
  if (tool === 'WebFetch' && typeof input.url === 'string') return [elsewhere('network', input.url)]
  const kind = Object.hasOwn(FILE_TOOLS, tool) ? FILE_TOOLS[tool] : undefined
  const path = [input.file_path, input.notebook_path, input.path].find(
    (each) => typeof each === 'string' && each !== '',
  )
  if (kind === undefined || typeof path !== 'string') return []
  const expanded = path.startsWith('~/') ? home + path.slice(1) : path
  return [pathEffect(kind, posix.resolve(cwd, expanded), cwd, false)]
}

const patchEffects = (input: LoggedCall['input'], cwd: string): CallEffect[] => {
  const patch = [input.command, input.patch, input.input].find((each) => typeof each === 'string')
  if (typeof patch !== 'string') return []
  // Previews contain line breaks as JSON escapes.
  const lines = patch.split(/\\n|\n/)
  return lines.flatMap((line) => {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? []
    if (path === undefined) return []
    const kind = verb === 'Delete' ? 'delete' : 'write'
    return [pathEffect(kind, posix.resolve(cwd, path.trim()), cwd, false)]
  })
}

const pathEffect = (
  kind: 'read' | 'write' | 'delete',
  target: string,
  cwd: string,
  recursive: boolean,
): CallEffect => ({
  kind,
  target,
  recursive,
  inside: cwd !== '/' && (target === cwd || target.startsWith(`${cwd}/`)),
})

const elsewhere = (kind: ObservedEffectName, target: string): CallEffect => ({
  kind,
  target,
  recursive: false,
  inside: false,
})

const findInjection = (text: string): CallReading['injection'] =>
  inspectPrompt(text).findings.find(
    ({ category, effect }) => category === 'injection' && effect === 'block',
  )?.description
