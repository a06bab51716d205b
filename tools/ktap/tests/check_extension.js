#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0
// Check the extension of VS Code without VS Code: it starts the language server, and says
// what is missing if its client is not installed.
//
//	check_extension.js EXTENSION
'use strict';

const assert = require('assert');
const Module = require('module');
const path = require('path');

const file = path.resolve(process.argv[2]);
const package_json = require(path.join(path.dirname(file), 'package.json'));
assert.equal(path.resolve(path.dirname(file), package_json.main), file);
const properties = package_json.contributes.configuration.properties;

const warnings = [];
const clients = [];
class LanguageClient {
	constructor(id, name, server, options) { Object.assign(this, { server, options }); }
	start() { clients.push(this); return 'started'; }
	stop() { return 'stopped'; }
}
const modules = {
	vscode: {
		window: { showWarningMessage: text => warnings.push(text) },
		workspace: { getConfiguration: section => ({
			get: name => properties[`${section}.${name}`].default,
		}) },
	},
};
const load = Module._load;
Module._load = (name, ...others) => modules[name] ?? load(name, ...others);

const extension = require(file);
extension.activate();
assert.match(warnings[0], /npm install/);
assert.equal(extension.deactivate(), undefined);

const client_package = 'vscode-languageclient';
assert(package_json.dependencies[client_package]);
modules[`${client_package}/node`] = { LanguageClient };
assert.equal(extension.activate(), 'started');
assert.equal(clients[0].server.command, 'ktap-language-server');
const languages = package_json.contributes.languages.map(language => language.id);
assert(clients[0].options.documentSelector.some(selector => languages.includes(selector.language)));
assert.equal(extension.deactivate(), 'stopped');
assert.equal(warnings.length, 1);
