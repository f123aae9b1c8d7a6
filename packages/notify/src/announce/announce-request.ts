import { classifyRequest } from './classify-request.ts'
import type { Conversation } from './find-conversation.ts'
import { kindOfGerund, leadingVerb, type RequestKind } from './request-verbs.ts'

export interface RequestAnnouncement {
  /** Spoken and printed: the same text. */
  text: string
  kind: RequestKind | 'conversation'
  conversation?: Conversation
}

/**
 * The announcement when work on a request starts: `what` after a gerund that matches the request. A
 * gerund that the caller chose is kept unless the spec reserves it for another kind of request.
 */
export const announceRequest = (what: string, request: string = what): RequestAnnouncement => {
  const text = oneLine(what)
  const found = classifyRequest(request)
  if (found.kind === 'conversation') {
    return { text, kind: found.kind, conversation: found.conversation }
  }
  return { text: lead(text, found.kind, found.gerund), kind: found.kind }
}

const lead = (text: string, kind: RequestKind, gerund: string): string => {
  const own = ownGerund(text)
  if (own !== undefined) {
    const meant = kindOfGerund(own.gerund)
    return `${meant === undefined || meant === kind ? own.gerund : gerund} ${own.rest}`.trim()
  }
  const verb = leadingVerb(text)
  if (verb !== undefined) {
    return `${verb.kind === kind ? verb.gerund : gerund} ${lowerFirst(verb.rest)}`.trim()
  }
  return `${gerund} ${lowerFirst(text)}`.trim()
}

/** Words that end like a gerund but are not one. */
const NO_GERUNDS = new Set(
  'anything everything nothing something thing things string king ring spring wing bring sing sling swing during morning evening ceiling sibling pricing'.split(
    ' ',
  ),
)

const ownGerund = (text: string): { gerund: string; rest: string } | undefined => {
  const two = /^(looking (?:up|into))(?:\s+(.*))?$/i.exec(text)
  const found = two ?? /^(\p{L}{2,}ing)(?:\s+(.*))?$/iu.exec(text)
  const [, gerund, rest = ''] = found ?? []
  if (gerund === undefined || NO_GERUNDS.has(gerund.toLowerCase())) return undefined
  return { gerund: upperFirst(gerund.toLowerCase()), rest }
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Names keep their capitals. */
const lowerFirst = (text: string): string =>
  /^(?:the|a|an|my|your|our|this|that|these|those|all|some|why|how|where|what|which|whether|if)\b/i.test(
    text,
  )
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
