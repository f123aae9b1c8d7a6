import { type FeedErrorClass, parseRetryAfter } from '@steward/contract'
import { type FeedFailure, failureOf } from './feed-failure.ts'
import type { Answer } from './request-hop.ts'

/** Why a response is not a feed, judged by status and headers; `undefined` if it may be one. */
export const classifyAnswer = (answer: Answer, nowMs: number): FeedFailure | undefined => {
  const { status, headers } = answer
  if (isChallenge(answer)) {
    return failureOf('challenge', `status ${status} with a page that asks for a browser`, {
      isBlocked: true,
    })
  }
  if (status >= 200 && status < 300) return undefined
  const className = classOfStatus(status)
  const isPassing = status === 429 || status === 503
  const asked = isPassing ? parseRetryAfter(headers.get('retry-after'), nowMs) : undefined
  const retryAfterMs = asked ?? null
  return failureOf(className, `status ${status}`, {
    retryAfterMs,
    isBlocked: status === 403 || (status === 429 && retryAfterMs === null),
  })
}

/** Bot-blocking pages are recognised by a header, or by typical words in their HTML. */
const isChallenge = ({ status, headers, body }: Answer): boolean => {
  if (/\bchallenge\b/i.test(headers.get('cf-mitigated') ?? '')) return true
  if (status !== 403 && status !== 503 && status !== 200) return false
  const head = new TextDecoder().decode(body.subarray(0, HEAD_BYTES))
  return PAGE.test(head) && CHALLENGE.test(head)
}

const HEAD_BYTES = 32 * 1024
const PAGE = /^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype html|html)[\s>]/i
const CHALLENGE =
  /just a moment\.\.\.|cf-chl|challenge-platform|cf_captcha|g-recaptcha|h-captcha|enable javascript and cookies|checking (?:your browser|if the site connection)|ddos protection by|attention required!/i

const CLASSES: Readonly<Record<number, FeedErrorClass>> = {
  401: '401',
  403: '403',
  404: '404',
  410: '410',
  429: '429',
  // The edge platform's codes for an origin whose certificate or handshake failed.
  525: 'tls',
  526: 'tls',
}

const classOfStatus = (status: number): FeedErrorClass =>
  CLASSES[status] ?? (status >= 500 ? '5xx' : 'status')
