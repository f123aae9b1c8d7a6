/**
 * Synonyms by set: `{agent}` in a phrase stands for one of `agent`. The reader itself uses the sets
 * `other`, `fastTier`, `standardTier` and `deepTier`.
 */
export const WORDS_TEXT = `
words:
  # Phrases in which a trigger word means something else.
  other:
    - user agent
    - '{trade} agent'
    - agent {thing}
    - agent at the {place}
    - agent in the {place}
    - agent of the {place}
    - '{outside} hook'
    - '{outside} hooks'
    - hook up
    - off the hook
    - observer pattern
    - intersection observer
    - mutation observer
    - resize observer
    - swarm of bees
    - docker swarm
    - team lead
    - master plan
    - data plan
    - phone plan
    - floor plan
    - plan b
    - research team
    - research paper
    - research department
    - heart attack
    - overnight success
    - overnight delivery
    - overnight shipping
    - overnight oats
    - overnight stay
    - overnight train
    - parallel universe
    - parallel line
    - parallel import
  trade: [real estate, estate, travel, secret, insurance, ticket, booking, federal, undercover, chemical, biological, nerve, cleaning, bleaching, foaming, reducing, oxidizing, raising, thickening, sales, support, service, call center, call centre, human, shipping, literary, talent, sports, press, ssh, gpg, mail, jenkins, buildkite, monitoring, datadog, backup, leasing, transfer, purchasing, ticketing, gate, double, free, contrast, antifungal, fbi, cia, patent, commission, listing]
  thing: [table, page, class, endpoint, form, model, schema, view, menu, component, column, field, id, string, header, commission, fee, login, profile, screen, dashboard, portal, registry, directory, noun, contract]
  place: [call center, call centre, airport, agency, company, counter, border, desk, station, bank, hotel]
  outside: [git, react, custom react, web, pre commit, post commit, vue, lifecycle, fish, coat, svelte, commit, crochet, composable]

  not: [zero, none, nothing, not, don't, dont, never, no, without, doesn't, shouldn't, won't, cannot, can't, nobody]
  custom: [custom, customized, custom made, custom built, bespoke, tailored, tailor made, purpose built, made to measure, made to order, handcrafted, hand crafted, hand picked, personalized, composed]
  agent: [agent, subagent, sub agent, agentic helper]
  helper: [agent, subagent, sub agent, specialist, persona, expert, reviewer, advisor, assistant, helper, thinker, critic, team of agent, ai worker]
  crew: [agent, subagent, sub agent, specialist agent, expert agent, ai agent, ai helper, ai specialist, ai expert]
  launch: [launch, spin up, spawn, start, start up, deploy, fire up, fire off, kick off, run, create, make, assemble, dispatch, use, utilize, employ, have, get, let, put, throw, send, unleash, bring in, call in, delegate to, delegate it to, delegate this to, hand to, hand it to, hand this to, pass to, pass it to, hand off to, summon, task, gather, recruit, need, want, give me, try, stand up, set up, set loose, set, farm out to, outsource to, outsource it to, parcel out to, line up, engage, leverage, bring on, rope in, round up, turn loose, boot up, would like, open]
  many: [several, multiple, many, various, few, couple of, bunch of, group of, panel of, set of, handful of, army of, fleet of, crowd of, pool of, squad of, parallel, specialized, specialist, expert, independent, dedicated, focused, ai, two, three, four, five, six, seven, eight, nine, ten, twelve, twenty, dozen, different, more, extra, separate, concurrent, simultaneous, domain, domain specific]
  working: [work, look, debate, argue, compare, review, read, check, estimate, brainstorm, discuss, tackle, analyze, summarize, go over, go through, explore, handle, attack, challenge, critique, vote, each]
  about: [about, explain, describe, article, poem, essay, blog, story, song, definition, define, history of, documentation of, meaning of, difference between]

  parallel: [in parallel, at the same time, at once, concurrently, simultaneously, side by side, parallelize, parallel, all together, in one go]
  runs: [run, execute, do, launch, start, trigger, schedule, kick off, perform, work, go, process, carry on, continue, let, keep]

  research: [research, investigate, survey, look into, dig into, look up, read up on, study up on, find out, check out what, delve into, inquire into, enquire into, track down source, fact check, fact find, background check, explore the literature]
  minutes: [one, two, three, four, five, six, seven, eight, nine, ten, twelve, fifteen, twenty, '5', '10', '15', '20', '25', few, couple of]
  hours: [two, three, four, five, six, seven, eight, nine, ten, twelve, several, many, '2', '3', '4', '5', '6', '7', '8', '9', '10', '12', '24', '48', few, couple of]

  researcher: [researcher, research agent, researcher agent, research subagent, research specialist, investigator, fact finder]

  implement: [implement, refactor, debug, code, code up, program, patch, port, wire up, hotfix, rewrite, reimplement, hard code, scaffold, unit test, instrument, transpile]
  change: [put, teach, enable, allow, hook, tweak, wrap, swap, plug, style, center, align, expose, mock, stub, type, annotate, insert, append, move, embed, render, load, save, sanitize, escape, compress, encrypt, hash, index, paginate, sort, automate, script, craft, bring, apply, touch, sweep through, go through and, adapt, reduce, shrink, get rid of, drop, deprecate, revert, roll back, dockerize, containerize, publish, deploy, write, add, build, fix, create, change, make, update, remove, delete, optimize, convert, migrate, repair, extend, replace, rename, parse, handle, support, improve, speed up, hook up, set up, develop, extract, split, merge, correct, adjust, modify, introduce, turn, solve, resolve, generate, put together, hack together, throw together, expose, validate, bump, upgrade, test, store, log, cache, integrate, connect, simplify, clean up, finish, complete, ship, deliver, produce, make sure, need, want]
  artefact: [sidebar, spinner, collapsible, trailing comma, animation, game, website, cookie, redirect, url, link, path, permission check, scroll, keyboard shortcut, cron job, test suite, coverage, lint, warning, error, compile error, type error, object, array, map, promise, callback, async, thread pool, lock, mutex, transaction, constraint, foreign key, seed data, fixture, environment variable, secret, docker image, container, kubernetes, terraform, ci config, github action, build script, readme example, changelog script, tab, popup, dialog, input, date picker, chart, grid, list view, table view, carousel, header bar, footer, mobile view, responsive, favicon, locale, translation key, i18n, webhook handler, graphql, rest, grpc, protobuf, http, tcp, smtp, email sender, pdf export, csv export, excel export, image upload, file upload, search box, autocomplete, caching, sdk method, hash map, binary tree, linked list, recursion, fibonacci, go, kotlin, swift, ruby, php, bash, shell, powershell, perl, c++, haskell, scala, elixir, react, vue, svelte, angular, node, express, django, flask, rails, spring, laravel, postgres, mysql, sqlite, redis, kafka, mongodb, graph, lambda, theme, encryption, password reset, two factor, single sign on, sso, crud, ui for, user interface for, logic, validation rule, business rule, off by one, edge case, null check, code, codebase, function, class, method, module, endpoint, api, component, button, form, script, unit test, test, bug, query, parser, handler, flag, command, cli, microservice, service, library, package, migration, regex, regular expression, middleware, hook, field, column, header, feature, checkout page, login, page, build, string, exception, importer, exporter, crash, leak, race condition, dependency, config, configuration, docker, dockerfile, sql, python, typescript, javascript, rust, golang, java, html, css, scheduler, queue, cache, worker, logger, logging, error message, validation, validator, pagination, engine, ledger, server, client, backend, back end, frontend, front end, database, variable, loop, algorithm, type, interface, adapter, plugin, extension, webhook, cron, program, app, application, website, web app, tool, csv, json, xml, yaml, repo, repository, implementation, prototype, route, controller, helper, util, widget, pull request, merge conflict, linter, compiler, makefile, deployment script, oauth, authentication, auth, session, token, retry, rate limit, timeout, integration, sdk, bot, dropdown, modal, navbar, tooltip, checkbox, unit, stack trace, null pointer, wrapper, decorator, struct, enum, iterator, generator, table, index, record, event, listener, socket, stream, buffer, thread, process, job, task runner, pipeline, workflow file, action, template, stylesheet, toggle, switch, filter, sort, search, endpoint handler, upload, download, landing page, screen, snippet, subroutine, macro, crawler, scraper, daemon, calculator, converter, billing, payment, checkout, notification, signup, sign up, dark mode]
  shortcut: [shortcut, short cut, corner cutting, quick fix, hack, half measure, compromise]
  away: [log off, sign off, shut my laptop, shut down my laptop, close my laptop, close the lid, go home, go offline, go to sleep, hang up, leave for the day, step away, afk, on a plane, on vacation, on holiday, away from, not be at my desk, not be around, not be here, out of office, at the gym]
  drops: [drop, die, break, fail, go away, disappear, be lost, is lost, disconnect, close, shut, sleep, reboot, restart, crash]
  link: [connection, network, wifi, internet, session, ssh, terminal, laptop, computer, machine, vpn, power]
  prose: [write .. poem, write .. letter, write .. story, write .. essay, write .. email, write .. article, write .. blog post, write .. tweet, write .. speech, write .. song, write .. summary, write .. report, write .. memo, write .. novel, translate, proofread]
  broken: [fail, break, crash, red, throw, hang, leak, segfault, time out, not work, not compile]
  whole: [entire, whole, complete, full, all of, every module of, every file in, every file of, everything in]
  project: [code, sources, tree, codebase, code base, project, repository, repo, monorepo, source tree, code, application code, solution]
  wide: [project wide, repo wide, repository wide, codebase wide, code base wide, monorepo wide, across the codebase, across the code base, across the repo, across the repository, across the project, across all package, across every package, across all module, across every module, all package in, every package in, all file in the, every file in the, everywhere in the, throughout the, all over the]
  longContext: [long context, large context, big context, huge context, 256k, 200k, whole thing in context, all in context]

  production: [production grade, production ready, production quality, production code, production worthy, production level, ready for production, fit for production, industrial strength, bulletproof, battle tested, rock solid, enterprise grade, mission critical, ship ready, hardened, fully tested, highest quality, top quality, real user]
  rough: [quick, quickly, throwaway, prototype, draft, spike, rough, toy, hack, quick and dirty, proof of concept, poc, one off, simple, tiny, trivial, sample, demo, standard]

  vendor: [vendor, provider, model family, model, lab, ai company, maker]
  foreign: [cross vendor, other vendor, another vendor, different vendor, second vendor, outside vendor, different model, another model, other model, different provider, another provider, second model, different lab, another lab, different ai, another ai, cross model, cross provider, third party model, competing model, rival model, different company, another company]
  audit: [audit, auditor, auditing, review, check, inspect, opinion, look over, go over, critique, examine, assess, second pair of eye, scrutinize, look at, vet]
  verify: [verify, validate, double check, check everything, final check, sign off, confirm that, prove that, make sure that everything, check that, check whether, check the result, check the work, acceptance test, verification, final review]
  codeThing: [code, change, diff, pull request, pr, patch, release, commit, branch, implementation, module, deployment, repository, codebase]

  system: [permission system, ingestion, lock, sync, registry, scheduler, runtime, workflow, contract, broker, bus, gateway, layer, boundary, component, algorithm, strategy, mechanism, model, repository layout, failover, disaster recovery, sharding, replication, system, service, schema, database, api, data model, architecture, backend, back end, queue, protocol, module, infrastructure, pipeline, plugin, storage, platform, microservice, event, domain model, interface between, solution, cache, cluster, topology, tenancy, integration, contract, application, app, engine, framework, deployment, scaling, network, message, class hierarchy, package structure]
  ui: [signup flow, sign up flow, checkout flow, user flow, visual style, style, poster, banner, popup, empty state, illustration, colour, color, font, flow, card, sidebar, homepage, home page, app icon, tooltip, modal, animation, screen, page, layout, ui, user interface, interface, ux, user experience, onboarding, form, wireframe, mockup, mock up, landing page, dashboard, icon, logo, theme, button, menu, navigation, app screen, look and feel, visual, prototype in figma, figma, website, brand, style guide, colour scheme, color scheme, dark mode, usability, accessibility]
  polish: [improve, polish, redesign, rethink, make nicer, beautify, restyle, refresh, review, rework, modernize, simplify, sketch, draw, create, make, build, propose, prettier, nicer]

  repo: [codebase, code base, repo, repository, project, source, source code, code, monorepo, package, folder, directory]

  host: [claude code, codex cli, codex, gemini cli, opencode, open code, cursor ide, host assistant, the host, coding assistant, our assistant, my assistant, the assistant, claude, copilot cli]
  hostThing: [hook, setting, slash command, command, mcp, mcp server, subagent, sub agent, agent, api, plugin, skill, permission, front matter, frontmatter, config, configuration, sdk, feature, statusline, status line, output style, keybinding, memory file, event, plan mode, marketplace, tool permission, hook event, headless mode]
  hostOnly: [pretooluse, posttooluse, userpromptsubmit, sessionstart, subagentstop, stop hook, permissionrequest, slash command, claude.md, agents.md, additionalcontext, permissiondecision, hook matcher, subagent file, agent front matter, mcp.json]

  target: [panel, admin, portal, account, box, machine, website, product, stack, cluster, database, wifi, us, payment, upload, session, site, website, app, application, web app, server, endpoint, api, gateway, login, form, surface, network, host, infrastructure, system, service, staging, perimeter, firewall, us, ourselves, defence, defense, auth]

  outputs: [output, summary, draft, deliverable, output, result, answer, finding, report, work, deliverable, response, conclusion]
  observer: [observer, overseer, watcher]

  fastTier: [fast tier, fast model, cheap model, small model, cheapest model, grunt work, simple check, quick check, sanity check, quick look, trivial, trivially simple, boilerplate]
  standardTier: [standard tier, standard model, middle tier, balanced tier, mid tier]
  deepTier: [deep tier, deep model, deep reasoning, think hard, think deeply, think very hard, think long, ultrathink, maximum intelligence, strongest model, smartest model, best model, most capable model, reason carefully, hardest problem]
`
