import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { pageOf, pageQuery } from '../page.ts'
import {
  createSkillForm,
  hostedSkill,
  hostedSkillVersion,
  skillDeleted,
  skillVersionDeleted,
} from '../skill.ts'
import { defineHostedRoute } from './hosted-route.ts'

const ofSkill = z.object({ skill_id: hostedId })
/** `latest` is the newest version. */
const params = z.object({ skill_id: hostedId, version: hostedId })

export const hostedSkillRoutes = {
  createSkill: defineHostedRoute({
    method: 'POST',
    path: '/v1/skills',
    summary: 'Uploads a skill: the files of one folder with a SKILL.md (multipart form).',
    family: 'skills',
    scope: 'write',
    form: createSkillForm,
    formFiles: 'files[]',
    answer: hostedSkill,
    errors: ['payload_too_large'],
  }),
  listSkills: defineHostedRoute({
    method: 'GET',
    path: '/v1/skills',
    summary: 'Skills, newest first.',
    family: 'skills',
    scope: 'read',
    query: z.object({
      ...pageQuery,
      /** `custom` or `anthropic`; all skills here are custom. */
      source: z.string().max(64).optional(),
    }),
    answer: pageOf(hostedSkill),
  }),
  getSkill: defineHostedRoute({
    method: 'GET',
    path: '/v1/skills/:skill_id',
    summary: 'One skill.',
    family: 'skills',
    scope: 'read',
    worker: true,
    params: ofSkill,
    answer: hostedSkill,
    errors: ['not_found'],
  }),
  deleteSkill: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/skills/:skill_id',
    summary: 'Deletes a skill with all its versions.',
    family: 'skills',
    scope: 'write',
    params: ofSkill,
    answer: skillDeleted,
    errors: ['not_found'],
  }),
  createSkillVersion: defineHostedRoute({
    method: 'POST',
    path: '/v1/skills/:skill_id/versions',
    summary: 'Uploads the next version of a skill (multipart form).',
    family: 'skills',
    scope: 'write',
    params: ofSkill,
    form: z.object({}),
    formFiles: 'files[]',
    answer: hostedSkillVersion,
    errors: ['not_found', 'payload_too_large'],
  }),
  listSkillVersions: defineHostedRoute({
    method: 'GET',
    path: '/v1/skills/:skill_id/versions',
    summary: 'The versions of a skill, newest first.',
    family: 'skills',
    scope: 'read',
    worker: true,
    params: ofSkill,
    query: z.object(pageQuery),
    answer: pageOf(hostedSkillVersion),
    errors: ['not_found'],
  }),
  getSkillVersion: defineHostedRoute({
    method: 'GET',
    path: '/v1/skills/:skill_id/versions/:version',
    summary: 'One version of a skill; `latest` is the newest.',
    family: 'skills',
    scope: 'read',
    worker: true,
    params,
    answer: hostedSkillVersion,
    errors: ['not_found'],
  }),
  deleteSkillVersion: defineHostedRoute({
    method: 'DELETE',
    path: '/v1/skills/:skill_id/versions/:version',
    summary: 'Deletes a version; the last one is deleted with its skill.',
    family: 'skills',
    scope: 'write',
    params,
    answer: skillVersionDeleted,
    errors: ['not_found'],
  }),
  downloadSkillVersion: defineHostedRoute({
    method: 'GET',
    path: '/v1/skills/:skill_id/versions/:version/content',
    summary: 'The files of a version as a zip archive.',
    family: 'skills',
    scope: 'read',
    worker: true,
    params,
    answer: 'bytes',
    errors: ['not_found'],
  }),
}
